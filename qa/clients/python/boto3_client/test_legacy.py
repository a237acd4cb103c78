"""The parameters from before expressions, which old programs still send."""

from endpoint import EndpointTest


class Legacy(EndpointTest):
    def setUp(self):
        super().setUp()
        self.table = self.create("legacy", key=(("pk", "S"), ("sk", "N")))
        for number in range(10):
            self.dynamodb.put_item(
                TableName=self.table,
                Item={
                    "pk": {"S": "a"},
                    "sk": {"N": str(number)},
                    "colour": {"S": "red" if number % 2 else "blue"},
                    "tags": {"SS": ["x", str(number)]},
                },
            )

    def key(self, number):
        return {"pk": {"S": "a"}, "sk": {"N": str(number)}}

    def sorts(self, answer):
        return sorted(int(item["sk"]["N"]) for item in answer["Items"])

    def test_expected_guards_a_write(self):
        with self.assertRaises(
            self.dynamodb.exceptions.ConditionalCheckFailedException
        ):
            self.dynamodb.put_item(
                TableName=self.table,
                Item=self.key(1),
                Expected={"pk": {"Exists": False}},
            )
        self.dynamodb.delete_item(
            TableName=self.table,
            Key=self.key(1),
            Expected={
                "colour": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "red"}]},
                "absent": {"ComparisonOperator": "NOT_NULL"},
            },
            ConditionalOperator="OR",
        )
        self.assertNotIn("Item", self.dynamodb.get_item(TableName=self.table, Key=self.key(1)))

    def test_attribute_updates_put_add_and_delete(self):
        answer = self.dynamodb.update_item(
            TableName=self.table,
            Key=self.key(2),
            AttributeUpdates={
                "colour": {"Value": {"S": "green"}},
                "count": {"Action": "ADD", "Value": {"N": "3"}},
                "tags": {"Action": "DELETE", "Value": {"SS": ["x"]}},
            },
            ReturnValues="ALL_NEW",
        )
        self.assertEqual(
            answer["Attributes"],
            {
                **self.key(2),
                "colour": {"S": "green"},
                "count": {"N": "3"},
                "tags": {"SS": ["2"]},
            },
        )

    def test_key_conditions_and_query_filter(self):
        answer = self.dynamodb.query(
            TableName=self.table,
            KeyConditions={
                "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]},
                "sk": {
                    "ComparisonOperator": "BETWEEN",
                    "AttributeValueList": [{"N": "2"}, {"N": "7"}],
                },
            },
            QueryFilter={
                "colour": {"ComparisonOperator": "NE", "AttributeValueList": [{"S": "red"}]}
            },
            AttributesToGet=["sk"],
        )
        self.assertEqual(answer["Items"], [{"sk": {"N": n}} for n in ("2", "4", "6")])
        self.assertEqual(answer["ScannedCount"], 6)

    def test_scan_filter(self):
        answer = self.dynamodb.scan(
            TableName=self.table,
            ScanFilter={
                "tags": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"S": "3"}]},
                "sk": {
                    "ComparisonOperator": "IN",
                    "AttributeValueList": [{"N": "8"}, {"N": "9"}],
                },
            },
            ConditionalOperator="OR",
        )
        self.assertEqual(self.sorts(answer), [3, 8, 9])

    def test_attributes_to_get(self):
        answer = self.dynamodb.get_item(
            TableName=self.table, Key=self.key(3), AttributesToGet=["colour"]
        )
        self.assertEqual(answer["Item"], {"colour": {"S": "red"}})
        answer = self.dynamodb.batch_get_item(
            RequestItems={self.table: {"Keys": [self.key(4)], "AttributesToGet": ["colour"]}}
        )
        self.assertEqual(answer["Responses"][self.table], [{"colour": {"S": "blue"}}])

    def test_old_and_new_do_not_mix(self):
        self.assertRefused(
            "ValidationException",
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {ScanFilter} Expression parameters: {FilterExpression}",
            self.dynamodb.scan,
            TableName=self.table,
            ScanFilter={"colour": {"ComparisonOperator": "NULL"}},
            FilterExpression="attribute_exists(pk)",
        )
