"""Items as the low-level client sees them: every type, every operation, every ReturnValues."""

from endpoint import EndpointTest

# One attribute of each of the ten types, nested and at its edges.
EVERYTHING = {
    "pk": {"S": "everything"},
    "text": {"S": "ünïcödé, 漢字, 🎲, \"quotes\", back\\slash, new\nline, \u0000 and \u2028"},
    "empty": {"S": ""},
    "big": {"N": "99999999999999999999999999999999999999"},
    "small": {"N": "-0.00000000000000000000000000000000000001"},
    "huge": {"N": "9" * 38 + "0" * 88},
    "binary": {"B": bytes(range(256))},
    "nothing": {"B": b""},
    "yes": {"BOOL": True},
    "no": {"BOOL": False},
    "null": {"NULL": True},
    "texts": {"SS": ["a", "b", "ä"]},
    "numbers": {"NS": ["-1", "0", "3.14"]},
    "binaries": {"BS": [b"\x00", b"\xff\xfe"]},
    "list": {"L": [{"S": "x"}, {"N": "1"}, {"L": []}, {"M": {}}]},
    "map": {"M": {"a": {"M": {"b": {"L": [{"M": {"c": {"BS": [b"deep"]}}}]}}}}},
}


def unordered(item):
    """An item with its top-level sets in a fixed order, since sets have none."""
    return {
        name: {kind: sorted(value) if kind in ("SS", "NS", "BS") else value}
        for name, attribute in item.items()
        for kind, value in attribute.items()
    }


class Items(EndpointTest):
    def setUp(self):
        super().setUp()
        self.table = self.create("items")

    def get(self, key, **more):
        return self.dynamodb.get_item(
            TableName=self.table, Key={"pk": {"S": key}}, **more
        ).get("Item")

    def update(self, key, expression, **more):
        return self.dynamodb.update_item(
            TableName=self.table,
            Key={"pk": {"S": key}},
            UpdateExpression=expression,
            **more,
        )

    def test_every_type_comes_back_as_it_went(self):
        self.dynamodb.put_item(TableName=self.table, Item=EVERYTHING)
        found = self.get("everything", ConsistentRead=True)
        self.assertEqual(unordered(found), unordered(EVERYTHING))

    def test_numbers_come_back_in_their_shortest_form(self):
        for written, read in [
            ("1.0", "1"),
            ("-0", "0"),
            ("1E3", "1000"),
            ("00012.3400", "12.34"),
            ("1e-5", "0.00001"),
        ]:
            self.dynamodb.put_item(
                TableName=self.table, Item={"pk": {"S": "n"}, "n": {"N": written}}
            )
            self.assertEqual(self.get("n")["n"], {"N": read}, written)

    def test_a_missing_item_is_no_item(self):
        answer = self.dynamodb.get_item(TableName=self.table, Key={"pk": {"S": "nobody"}})
        self.assertNotIn("Item", answer)

    def test_a_projection_reaches_into_documents(self):
        self.dynamodb.put_item(TableName=self.table, Item=EVERYTHING)
        found = self.get(
            "everything",
            ProjectionExpression="#m.a.b[0].c, #l[1], yes",
            ExpressionAttributeNames={"#m": "map", "#l": "list"},
        )
        self.assertEqual(
            found,
            {
                "map": {"M": {"a": {"M": {"b": {"L": [{"M": {"c": {"BS": [b"deep"]}}}]}}}}},
                "list": {"L": [{"N": "1"}]},
                "yes": {"BOOL": True},
            },
        )

    def test_put_returns_what_it_replaced(self):
        first = {"pk": {"S": "a"}, "version": {"N": "1"}}
        self.assertNotIn(
            "Attributes",
            self.dynamodb.put_item(TableName=self.table, Item=first, ReturnValues="ALL_OLD"),
        )
        second = {"pk": {"S": "a"}, "version": {"N": "2"}}
        answer = self.dynamodb.put_item(TableName=self.table, Item=second, ReturnValues="ALL_OLD")
        self.assertEqual(answer["Attributes"], first)

    def test_update_returns_what_it_is_asked_for(self):
        expected = {
            "NONE": None,
            "ALL_OLD": {"pk": {"S": "a"}, "n": {"N": "1"}, "other": {"S": "x"}},
            "UPDATED_OLD": {"n": {"N": "1"}},
            "ALL_NEW": {"pk": {"S": "a"}, "n": {"N": "6"}, "other": {"S": "x"}},
            "UPDATED_NEW": {"n": {"N": "6"}},
        }
        for return_values, attributes in expected.items():
            with self.subTest(return_values):
                self.dynamodb.put_item(TableName=self.table, Item=expected["ALL_OLD"])
                answer = self.update(
                    "a",
                    "SET n = n + :five",
                    ExpressionAttributeValues={":five": {"N": "5"}},
                    ReturnValues=return_values,
                )
                self.assertEqual(answer.get("Attributes"), attributes)

    def test_an_update_may_do_four_things_at_once(self):
        self.dynamodb.put_item(
            TableName=self.table,
            Item={
                "pk": {"S": "a"},
                "list": {"L": [{"N": "0"}]},
                "stale": {"S": "to go"},
                "count": {"N": "41"},
                "tags": {"SS": ["red", "green"]},
            },
        )
        answer = self.update(
            "a",
            "SET #list = list_append(#list, :more), made = if_not_exists(made, :now) "
            "REMOVE stale ADD #count :one DELETE tags :tags",
            ExpressionAttributeNames={"#list": "list", "#count": "count"},
            ExpressionAttributeValues={
                ":more": {"L": [{"N": "1"}, {"N": "2"}]},
                ":now": {"S": "today"},
                ":one": {"N": "1"},
                ":tags": {"SS": ["green", "blue"]},
            },
            ReturnValues="ALL_NEW",
        )
        self.assertEqual(
            answer["Attributes"],
            {
                "pk": {"S": "a"},
                "list": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}]},
                "made": {"S": "today"},
                "count": {"N": "42"},
                "tags": {"SS": ["red"]},
            },
        )

    def test_an_update_creates_what_is_not_there(self):
        answer = self.update(
            "new",
            "ADD visits :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
            ReturnValues="ALL_NEW",
        )
        self.assertEqual(answer["Attributes"], {"pk": {"S": "new"}, "visits": {"N": "1"}})

    def test_delete_returns_what_it_took(self):
        self.dynamodb.put_item(TableName=self.table, Item={"pk": {"S": "a"}, "n": {"N": "1"}})
        answer = self.dynamodb.delete_item(
            TableName=self.table, Key={"pk": {"S": "a"}}, ReturnValues="ALL_OLD"
        )
        self.assertEqual(answer["Attributes"], {"pk": {"S": "a"}, "n": {"N": "1"}})
        again = self.dynamodb.delete_item(
            TableName=self.table, Key={"pk": {"S": "a"}}, ReturnValues="ALL_OLD"
        )
        self.assertNotIn("Attributes", again)

    def test_a_condition_that_does_not_hold_has_its_own_class_and_can_show_the_item(self):
        item = {"pk": {"S": "a"}, "n": {"N": "1"}, "bytes": {"B": b"\x00\x01"}}
        self.dynamodb.put_item(TableName=self.table, Item=item)
        with self.assertRaises(
            self.dynamodb.exceptions.ConditionalCheckFailedException
        ) as caught:
            self.dynamodb.put_item(
                TableName=self.table,
                Item={"pk": {"S": "a"}},
                ConditionExpression="attribute_not_exists(pk)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        self.assertEqual(
            caught.exception.response["Error"]["Message"], "The conditional request failed"
        )
        self.assertEqual(caught.exception.response["Item"], item)
        with self.assertRaises(
            self.dynamodb.exceptions.ConditionalCheckFailedException
        ) as caught:
            self.update(
                "a",
                "SET n = :n",
                ConditionExpression="n > :n",
                ExpressionAttributeValues={":n": {"N": "9"}},
            )
        self.assertNotIn("Item", caught.exception.response)
        self.assertEqual(self.get("a"), item)

    def test_consumed_capacity_counts_whole_units(self):
        answer = self.dynamodb.put_item(
            TableName=self.table,
            Item={"pk": {"S": "a"}, "blob": {"B": bytes(3000)}},
            ReturnConsumedCapacity="TOTAL",
        )
        self.assertEqual(
            answer["ConsumedCapacity"], {"TableName": self.table, "CapacityUnits": 3.0}
        )
        for consistent, units in ((False, 0.5), (True, 1.0)):
            answer = self.dynamodb.get_item(
                TableName=self.table,
                Key={"pk": {"S": "a"}},
                ConsistentRead=consistent,
                ReturnConsumedCapacity="TOTAL",
            )
            self.assertEqual(answer["ConsumedCapacity"]["CapacityUnits"], units)

    def test_an_item_of_400_kb_fits_and_one_more_byte_does_not(self):
        # The names and the key count: 2 + 3 bytes for pk = "big", 4 for the name "blob".
        room = 400 * 1024 - 2 - 3 - 4
        self.dynamodb.put_item(
            TableName=self.table, Item={"pk": {"S": "big"}, "blob": {"B": bytes(room)}}
        )
        self.assertEqual(len(self.get("big")["blob"]["B"]), room)
        self.assertRefused(
            "ValidationException",
            "Item size has exceeded the maximum allowed size",
            self.dynamodb.put_item,
            TableName=self.table,
            Item={"pk": {"S": "big"}, "blob": {"B": bytes(room + 1)}},
        )
