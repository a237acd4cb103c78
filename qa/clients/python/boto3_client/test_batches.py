"""Batches: many items in a request, and what is left over."""

from endpoint import EndpointTest


class Batches(EndpointTest):
    def test_deletes_and_puts_go_together_in_several_tables(self):
        one, two = self.create("one"), self.create("two")
        self.dynamodb.put_item(TableName=one, Item={"pk": {"S": "old"}})
        self.dynamodb.batch_write_item(
            RequestItems={
                one: [
                    {"DeleteRequest": {"Key": {"pk": {"S": "old"}}}},
                    {"PutRequest": {"Item": {"pk": {"S": "new"}}}},
                ],
                two: [{"PutRequest": {"Item": {"pk": {"S": "new"}, "n": {"N": "2"}}}}],
            }
        )
        answer = self.dynamodb.batch_get_item(
            RequestItems={
                one: {"Keys": [{"pk": {"S": "old"}}, {"pk": {"S": "new"}}]},
                two: {
                    "Keys": [{"pk": {"S": "new"}}],
                    "ProjectionExpression": "n",
                    "ConsistentRead": True,
                },
            },
            ReturnConsumedCapacity="TOTAL",
        )
        self.assertEqual(answer["Responses"][one], [{"pk": {"S": "new"}}])
        self.assertEqual(answer["Responses"][two], [{"n": {"N": "2"}}])
        self.assertEqual(answer["UnprocessedKeys"], {})
        units = {each["TableName"]: each["CapacityUnits"] for each in answer["ConsumedCapacity"]}
        self.assertEqual(units, {one: 1.0, two: 1.0})

    def test_what_is_past_16_mb_is_left_for_the_next_request(self):
        table = self.create("heavy")
        for number in range(60):
            self.dynamodb.put_item(
                TableName=table,
                Item={"pk": {"S": f"{number:02}"}, "blob": {"B": bytes(350 * 1024)}},
            )
        wanted = {
            table: {
                "Keys": [{"pk": {"S": f"{number:02}"}} for number in range(60)],
                "ProjectionExpression": "pk",
            }
        }
        seen, requests = [], 0
        while wanted:
            answer = self.dynamodb.batch_get_item(RequestItems=wanted)
            seen += [item["pk"]["S"] for item in answer["Responses"].get(table, [])]
            wanted = answer["UnprocessedKeys"]
            requests += 1
            # UnprocessedKeys repeats the projection.
            self.assertTrue(all(set(item) == {"pk"} for item in answer["Responses"][table]))
        self.assertEqual(sorted(seen), [f"{number:02}" for number in range(60)])
        self.assertEqual(requests, 2)

    def test_a_key_may_come_once(self):
        table = self.create("once")
        twice = [{"PutRequest": {"Item": {"pk": {"S": "a"}}}}] * 2
        self.assertRefused(
            "ValidationException",
            "Provided list of item keys contains duplicates",
            self.dynamodb.batch_write_item,
            RequestItems={table: twice},
        )
        self.assertRefused(
            "ValidationException",
            "Provided list of item keys contains duplicates",
            self.dynamodb.batch_get_item,
            RequestItems={table: {"Keys": [{"pk": {"S": "a"}}, {"pk": {"S": "a"}}]}},
        )

    def test_a_table_that_is_not_there_refuses_the_whole_batch(self):
        table = self.create("here")
        with self.assertRaises(self.dynamodb.exceptions.ResourceNotFoundException):
            self.dynamodb.batch_write_item(
                RequestItems={
                    table: [{"PutRequest": {"Item": {"pk": {"S": "a"}}}}],
                    f"{table}-not": [{"PutRequest": {"Item": {"pk": {"S": "a"}}}}],
                }
            )
        self.assertEqual(self.dynamodb.scan(TableName=table)["Count"], 0)
