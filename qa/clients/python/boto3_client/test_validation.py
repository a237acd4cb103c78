"""What is refused, and in which words: programs and their tests compare them."""

from endpoint import EndpointTest


class Validation(EndpointTest):
    def setUp(self):
        super().setUp()
        self.table = self.create("strict", key=(("pk", "S"), ("sk", "N")))

    def refused(self, text, call, **parameters):
        self.assertRefused(
            "ValidationException", text, call, TableName=self.table, **parameters
        )

    def test_a_key_must_be_whole_and_of_its_type(self):
        get, put = self.dynamodb.get_item, self.dynamodb.put_item
        mismatch = "The provided key element does not match the schema"
        self.refused(mismatch, get, Key={"pk": {"S": "a"}})
        self.refused(mismatch, get, Key={"pk": {"S": "a"}, "sk": {"S": "1"}})
        self.refused(
            "One or more parameter values were invalid: Missing the key sk in the item",
            put,
            Item={"pk": {"S": "a"}},
        )
        self.refused(
            "One or more parameter values were invalid: Type mismatch for key sk "
            "expected: N actual: S",
            put,
            Item={"pk": {"S": "a"}, "sk": {"S": "1"}},
        )
        self.refused(
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            put,
            Item={"pk": {"S": ""}, "sk": {"N": "1"}},
        )

    def test_expressions_are_checked(self):
        for text, expression, more in [
            (
                'Invalid ConditionExpression: Syntax error; token: "WHERE", near: "pk WHERE x"',
                "pk WHERE x",
                {},
            ),
            (
                "Invalid ConditionExpression: Attribute name is a reserved keyword; "
                "reserved keyword: status",
                "attribute_exists(status)",
                {},
            ),
            (
                "Invalid ConditionExpression: An expression attribute value used in expression "
                "is not defined; attribute value: :missing",
                "n = :missing",
                {},
            ),
            (
                "Invalid ConditionExpression: An expression attribute name used in the document "
                "path is not defined; attribute name: #missing",
                "attribute_exists(#missing)",
                {},
            ),
            (
                "Value provided in ExpressionAttributeNames unused in expressions: keys: {#extra}",
                "attribute_exists(pk)",
                {"ExpressionAttributeNames": {"#extra": "x"}},
            ),
        ]:
            with self.subTest(expression):
                self.refused(
                    text,
                    self.dynamodb.put_item,
                    Item={"pk": {"S": "a"}, "sk": {"N": "1"}},
                    ConditionExpression=expression,
                    **more,
                )

    def test_a_query_needs_the_whole_partition_key(self):
        self.refused(
            "Query condition missed key schema element: pk",
            self.dynamodb.query,
            KeyConditionExpression="sk = :sk",
            ExpressionAttributeValues={":sk": {"N": "1"}},
        )
        self.refused(
            "Query key condition not supported",
            self.dynamodb.query,
            KeyConditionExpression="pk > :pk",
            ExpressionAttributeValues={":pk": {"S": "a"}},
        )
        self.refused(
            "The table does not have the specified index: nowhere",
            self.dynamodb.query,
            IndexName="nowhere",
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": "a"}},
        )

    def test_several_violated_constraints_come_together(self):
        self.refused(
            "2 validation errors detected: "
            "Value 'NEVER' at 'returnValues' failed to satisfy constraint: "
            "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, "
            "UPDATED_NEW]; "
            "Value 'SOME' at 'returnConsumedCapacity' failed to satisfy constraint: "
            "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
            self.dynamodb.put_item,
            Item={"pk": {"S": "a"}, "sk": {"N": "1"}},
            ReturnValues="NEVER",
            ReturnConsumedCapacity="SOME",
        )

    def test_numbers_and_sets_have_rules(self):
        key = {"pk": {"S": "a"}, "sk": {"N": "1"}}
        for text, value in [
            ("The parameter cannot be converted to a numeric value: one", {"N": "one"}),
            (
                "Attempting to store more than 38 significant digits in a Number",
                {"N": "1" * 39},
            ),
            (
                "Number overflow. Attempting to store a number with magnitude larger than "
                "supported range",
                {"N": "1E126"},
            ),
            (
                "One or more parameter values were invalid: An string set  may not be empty",
                {"SS": []},
            ),
            (
                "One or more parameter values were invalid: Input collection [a, a] contains "
                "duplicates.",
                {"SS": ["a", "a"]},
            ),
            (
                "One or more parameter values were invalid: Null attribute value types must have "
                "the value of true",
                {"NULL": False},
            ),
        ]:
            with self.subTest(text):
                self.refused(text, self.dynamodb.put_item, Item={**key, "value": value})

    def test_an_update_may_not_touch_the_key(self):
        self.refused(
            "One or more parameter values were invalid: Cannot update attribute sk. "
            "This attribute is part of the key",
            self.dynamodb.update_item,
            Key={"pk": {"S": "a"}, "sk": {"N": "1"}},
            UpdateExpression="SET sk = :sk",
            ExpressionAttributeValues={":sk": {"N": "2"}},
        )

    def test_paths_of_an_update_may_not_overlap(self):
        self.refused(
            "Invalid UpdateExpression: Two document paths overlap with each other; "
            "must remove or rewrite one of these paths; path one: [a, b], path two: [a]",
            self.dynamodb.update_item,
            Key={"pk": {"S": "a"}, "sk": {"N": "1"}},
            UpdateExpression="SET a.b = :x, a = :x",
            ExpressionAttributeValues={":x": {"N": "2"}},
        )

    def test_a_table_needs_consistent_definitions(self):
        parameters = {
            "TableName": "strict-definitions",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        }
        self.assertRefused(
            "ValidationException",
            "One or more parameter values were invalid: Some index key attributes are not "
            "defined in AttributeDefinitions. Keys: [pk], AttributeDefinitions: [other]",
            self.dynamodb.create_table,
            AttributeDefinitions=[{"AttributeName": "other", "AttributeType": "S"}],
            **parameters,
        )
        self.assertRefused(
            "ValidationException",
            "One or more parameter values were invalid: Number of attributes in KeySchema does "
            "not exactly match number of attributes defined in AttributeDefinitions",
            self.dynamodb.create_table,
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "other", "AttributeType": "S"},
            ],
            **parameters,
        )

    def test_parallel_scans_are_checked(self):
        self.refused(
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present",
            self.dynamodb.scan,
            TotalSegments=4,
        )
        self.refused(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: 4 is not less than TotalSegments: 4",
            self.dynamodb.scan,
            TotalSegments=4,
            Segment=4,
        )
