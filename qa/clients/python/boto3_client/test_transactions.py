"""Transactions: all or nothing, with a reason for each action."""

from endpoint import EndpointTest, fresh_name


class Transactions(EndpointTest):
    def setUp(self):
        super().setUp()
        self.table = self.create("bank")
        for name, balance in (("anna", 100), ("ben", 10)):
            self.dynamodb.put_item(
                TableName=self.table,
                Item={"pk": {"S": name}, "balance": {"N": str(balance)}},
            )

    def move(self, source, target, amount, **more):
        def change(name, expression, **condition):
            return {
                "Update": {
                    "TableName": self.table,
                    "Key": {"pk": {"S": name}},
                    "UpdateExpression": expression,
                    "ExpressionAttributeValues": {":amount": {"N": str(amount)}},
                    **condition,
                }
            }

        return self.dynamodb.transact_write_items(
            TransactItems=[
                change(target, "SET balance = balance + :amount"),
                change(
                    source,
                    "SET balance = balance - :amount",
                    ConditionExpression="balance >= :amount",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                ),
            ],
            **more,
        )

    def balances(self):
        answer = self.dynamodb.transact_get_items(
            TransactItems=[
                {"Get": {"TableName": self.table, "Key": {"pk": {"S": name}}}}
                for name in ("anna", "ben", "nobody")
            ]
        )
        anna, ben, nobody = answer["Responses"]
        self.assertNotIn("Item", nobody)
        return int(anna["Item"]["balance"]["N"]), int(ben["Item"]["balance"]["N"])

    def test_money_moves_whole_or_not_at_all(self):
        self.move("anna", "ben", 30)
        self.assertEqual(self.balances(), (70, 40))

        with self.assertRaises(
            self.dynamodb.exceptions.TransactionCanceledException
        ) as caught:
            self.move("ben", "anna", 50)
        self.assertEqual(
            caught.exception.response["CancellationReasons"],
            [
                {"Code": "None"},
                {
                    "Code": "ConditionalCheckFailed",
                    "Message": "The conditional request failed",
                    "Item": {"pk": {"S": "ben"}, "balance": {"N": "40"}},
                },
            ],
        )
        self.assertEqual(
            caught.exception.response["Error"]["Message"],
            "Transaction cancelled, please refer cancellation reasons for specific reasons "
            "[None, ConditionalCheckFailed]",
        )
        self.assertEqual(self.balances(), (70, 40))

    def test_all_four_kinds_of_action(self):
        self.dynamodb.transact_write_items(
            TransactItems=[
                {
                    "Put": {
                        "TableName": self.table,
                        "Item": {"pk": {"S": "cleo"}, "balance": {"N": "1"}},
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }
                },
                {
                    "Update": {
                        "TableName": self.table,
                        "Key": {"pk": {"S": "anna"}},
                        "UpdateExpression": "REMOVE balance",
                    }
                },
                {"Delete": {"TableName": self.table, "Key": {"pk": {"S": "ben"}}}},
                {
                    "ConditionCheck": {
                        "TableName": self.table,
                        "Key": {"pk": {"S": "nobody"}},
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }
                },
            ]
        )
        items = {item["pk"]["S"]: item for item in self.dynamodb.scan(TableName=self.table)["Items"]}
        self.assertEqual(
            items,
            {
                "anna": {"pk": {"S": "anna"}},
                "cleo": {"pk": {"S": "cleo"}, "balance": {"N": "1"}},
            },
        )

    def test_a_token_makes_the_second_time_harmless(self):
        token = fresh_name("token")[:36]
        self.move("anna", "ben", 5, ClientRequestToken=token)
        self.move("anna", "ben", 5, ClientRequestToken=token)
        self.assertEqual(self.balances(), (95, 15))
        with self.assertRaises(
            self.dynamodb.exceptions.IdempotentParameterMismatchException
        ):
            self.move("anna", "ben", 6, ClientRequestToken=token)

    def test_one_item_may_be_in_a_transaction_once(self):
        self.assertRefused(
            "ValidationException",
            "Transaction request cannot include multiple operations on one item",
            self.move,
            source="anna",
            target="anna",
            amount=1,
        )

    def test_a_bad_action_is_told_among_the_reasons(self):
        with self.assertRaises(
            self.dynamodb.exceptions.TransactionCanceledException
        ) as caught:
            self.dynamodb.transact_write_items(
                TransactItems=[
                    {"Put": {"TableName": self.table, "Item": {"pk": {"S": "x"}}}},
                    {
                        "Update": {
                            "TableName": self.table,
                            "Key": {"pk": {"S": "anna"}},
                            "UpdateExpression": "ADD balance :text",
                            "ExpressionAttributeValues": {":text": {"SS": ["a"]}},
                        }
                    },
                ]
            )
        none, bad = caught.exception.response["CancellationReasons"]
        self.assertEqual(none, {"Code": "None"})
        self.assertEqual(bad["Code"], "ValidationError")
        self.assertEqual(
            bad["Message"],
            "An operand in the update expression has an incorrect data type",
        )

    def test_a_cancelled_read_names_the_table_that_is_missing(self):
        with self.assertRaises(self.dynamodb.exceptions.ResourceNotFoundException):
            self.dynamodb.transact_get_items(
                TransactItems=[
                    {"Get": {"TableName": fresh_name("none"), "Key": {"pk": {"S": "a"}}}}
                ]
            )

    def test_a_transaction_costs_twice(self):
        answer = self.move("anna", "ben", 1, ReturnConsumedCapacity="TOTAL")
        self.assertEqual(
            answer["ConsumedCapacity"], [{"TableName": self.table, "CapacityUnits": 4.0, "WriteCapacityUnits": 4.0}]
        )
