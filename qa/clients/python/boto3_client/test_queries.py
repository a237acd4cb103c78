"""Query and Scan: conditions, pages, counts, indexes, segments."""

from concurrent.futures import ThreadPoolExecutor

from endpoint import EndpointTest


class Queries(EndpointTest):
    def setUp(self):
        super().setUp()
        self.table = self.create(
            "orders",
            key=(("customer", "S"), ("order", "N")),
            indexes=[("by-state", (("state", "S"), ("order", "N")))],
        )
        puts = [
            {
                "PutRequest": {
                    "Item": {
                        "customer": {"S": f"c{number % 3}"},
                        "order": {"N": str(number)},
                        "state": {"S": "open" if number % 5 == 0 else "done"},
                        "note": {"S": "x" * 100},
                    }
                }
            }
            for number in range(75)
        ]
        for start in range(0, 75, 25):
            answer = self.dynamodb.batch_write_item(
                RequestItems={self.table: puts[start : start + 25]}
            )
            self.assertEqual(answer["UnprocessedItems"], {})

    def query(self, condition, values, **more):
        return self.dynamodb.query(
            TableName=self.table,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            **more,
        )

    def orders(self, answer):
        return [int(item["order"]["N"]) for item in answer["Items"]]

    def test_numbers_sort_as_numbers_both_ways(self):
        expected = list(range(1, 75, 3))
        values = {":c": {"S": "c1"}}
        self.assertEqual(self.orders(self.query("customer = :c", values)), expected)
        backwards = self.query("customer = :c", values, ScanIndexForward=False)
        self.assertEqual(self.orders(backwards), expected[::-1])

    def test_a_range_of_the_sort_key(self):
        for condition, expected in [
            ("#o BETWEEN :a AND :b", [10, 13, 16, 19]),
            ("#o >= :a AND customer = :c", list(range(10, 75, 3))),
            ("#o < :a", [1, 4, 7]),
            ("#o = :a", [10]),
        ]:
            values = {":c": {"S": "c1"}, ":a": {"N": "10"}}
            if ":b" in condition:
                values[":b"] = {"N": "20"}
            if "customer" not in condition:
                condition = f"customer = :c AND {condition}"
            answer = self.query(condition, values, ExpressionAttributeNames={"#o": "order"})
            self.assertEqual(self.orders(answer), expected, condition)

    def test_pages_join_without_a_seam(self):
        paginator = self.dynamodb.get_paginator("query")
        pages = list(
            paginator.paginate(
                TableName=self.table,
                KeyConditionExpression="customer = :c",
                ExpressionAttributeValues={":c": {"S": "c2"}},
                PaginationConfig={"PageSize": 4},
            )
        )
        self.assertGreater(len(pages), 5)
        self.assertNotIn("LastEvaluatedKey", pages[-1])
        self.assertEqual(
            [number for page in pages for number in self.orders(page)], list(range(2, 75, 3))
        )

    def test_a_filter_is_applied_after_the_limit(self):
        answer = self.query(
            "customer = :c",
            {":c": {"S": "c0"}, ":s": {"S": "open"}},
            FilterExpression="#s = :s",
            ExpressionAttributeNames={"#s": "state"},
            Limit=6,
        )
        self.assertEqual((answer["Count"], answer["ScannedCount"]), (2, 6))
        self.assertEqual(self.orders(answer), [0, 15])
        self.assertEqual(answer["LastEvaluatedKey"], {"customer": {"S": "c0"}, "order": {"N": "15"}})

    def test_an_index_has_its_own_order_and_pages(self):
        answer = self.query(
            "#s = :s",
            {":s": {"S": "open"}},
            IndexName="by-state",
            ExpressionAttributeNames={"#s": "state"},
            Limit=4,
        )
        self.assertEqual(self.orders(answer), [0, 5, 10, 15])
        self.assertEqual(set(answer["LastEvaluatedKey"]), {"customer", "order", "state"})
        rest = self.query(
            "#s = :s",
            {":s": {"S": "open"}},
            IndexName="by-state",
            ExpressionAttributeNames={"#s": "state"},
            ExclusiveStartKey=answer["LastEvaluatedKey"],
        )
        self.assertEqual(self.orders(rest), list(range(20, 75, 5)))

    def test_a_consistent_read_of_a_global_index_is_refused(self):
        self.assertRefused(
            "ValidationException",
            "Consistent reads are not supported on global secondary indexes",
            self.query,
            condition="#s = :s",
            values={":s": {"S": "open"}},
            IndexName="by-state",
            ExpressionAttributeNames={"#s": "state"},
            ConsistentRead=True,
        )

    def test_counting_returns_no_items(self):
        answer = self.query("customer = :c", {":c": {"S": "c0"}}, Select="COUNT")
        self.assertEqual((answer["Count"], answer["ScannedCount"]), (25, 25))
        self.assertNotIn("Items", answer)

    def test_text_keys_begin_with_a_prefix(self):
        table = self.create("prefix", key=(("pk", "S"), ("sk", "S")))
        for sort in ("GAME#1", "GAME#2", "GAMER#1", "PLAYER#1"):
            self.dynamodb.put_item(TableName=table, Item={"pk": {"S": "a"}, "sk": {"S": sort}})
        answer = self.dynamodb.query(
            TableName=table,
            KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
            ExpressionAttributeValues={":pk": {"S": "a"}, ":prefix": {"S": "GAME#"}},
        )
        self.assertEqual([item["sk"]["S"] for item in answer["Items"]], ["GAME#1", "GAME#2"])

    def test_a_parallel_scan_sees_every_item_once(self):
        paginator = self.dynamodb.get_paginator("scan")

        def segment(number):
            pages = paginator.paginate(
                TableName=self.table,
                Segment=number,
                TotalSegments=4,
                PaginationConfig={"PageSize": 7},
            )
            return [item["order"]["N"] for page in pages for item in page["Items"]]

        with ThreadPoolExecutor(4) as threads:
            seen = [number for found in threads.map(segment, range(4)) for number in found]
        self.assertEqual(sorted(map(int, seen)), list(range(75)))

    def test_a_page_ends_at_one_megabyte(self):
        table = self.create("wide", key=(("pk", "S"), ("sk", "N")))
        for number in range(6):
            self.dynamodb.put_item(
                TableName=table,
                Item={
                    "pk": {"S": "a"},
                    "sk": {"N": str(number)},
                    "blob": {"B": bytes(300 * 1024)},
                },
            )
        pages = list(
            self.dynamodb.get_paginator("query").paginate(
                TableName=table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": "a"}},
            )
        )
        self.assertEqual([page["Count"] for page in pages], [4, 2])

    def test_the_paginator_stops_and_goes_on(self):
        paginator = self.dynamodb.get_paginator("scan")
        first = paginator.paginate(
            TableName=self.table, PaginationConfig={"MaxItems": 10, "PageSize": 4}
        ).build_full_result()
        rest = paginator.paginate(
            TableName=self.table, PaginationConfig={"StartingToken": first["NextToken"]}
        ).build_full_result()
        seen = self.orders(first) + self.orders(rest)
        self.assertEqual(sorted(seen), list(range(75)))
