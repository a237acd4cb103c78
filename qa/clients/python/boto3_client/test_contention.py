"""Many clients at once: nothing is lost, nothing is counted twice."""

from concurrent.futures import ThreadPoolExecutor

from endpoint import EndpointTest

CLIENTS = 8


class Contention(EndpointTest):
    def setUp(self):
        super().setUp()
        self.table = self.create("contended")

    def all_at_once(self, work):
        """What `work` returns for each of several clients, which share one connection pool."""
        with ThreadPoolExecutor(CLIENTS) as threads:
            return list(threads.map(work, range(CLIENTS)))

    def counter(self):
        answer = self.dynamodb.get_item(
            TableName=self.table, Key={"pk": {"S": "counter"}}, ConsistentRead=True
        )
        return int(answer["Item"]["n"]["N"])

    def test_an_atomic_counter_counts_everybody(self):
        def count(_):
            for _ in range(25):
                self.dynamodb.update_item(
                    TableName=self.table,
                    Key={"pk": {"S": "counter"}},
                    UpdateExpression="ADD n :one",
                    ExpressionAttributeValues={":one": {"N": "1"}},
                )

        self.all_at_once(count)
        self.assertEqual(self.counter(), CLIENTS * 25)

    def test_one_of_many_creates_the_item(self):
        def create(number):
            try:
                self.dynamodb.put_item(
                    TableName=self.table,
                    Item={"pk": {"S": "seat"}, "by": {"N": str(number)}},
                    ConditionExpression="attribute_not_exists(pk)",
                )
                return number
            except self.dynamodb.exceptions.ConditionalCheckFailedException:
                return None

        (winner,) = [number for number in self.all_at_once(create) if number is not None]
        seat = self.dynamodb.get_item(TableName=self.table, Key={"pk": {"S": "seat"}})["Item"]
        self.assertEqual(seat["by"]["N"], str(winner))

    def test_versions_and_transactions_lose_no_update(self):
        self.dynamodb.put_item(
            TableName=self.table, Item={"pk": {"S": "counter"}, "n": {"N": "0"}}
        )

        def add(number):
            """Reads and writes back in a transaction, again until nobody came between."""
            for step in range(5):
                done = False
                while not done:
                    read = self.counter()
                    done = self.replace(read, read + 1, f"log-{number}-{step}")

        self.all_at_once(add)
        self.assertEqual(self.counter(), CLIENTS * 5)
        # Every transaction also wrote its log item: one per step, plus the counter.
        self.assertEqual(
            self.dynamodb.scan(TableName=self.table, Select="COUNT")["Count"], CLIENTS * 5 + 1
        )

    def replace(self, old, new, log):
        try:
            self.dynamodb.transact_write_items(
                TransactItems=[
                    {
                        "Update": {
                            "TableName": self.table,
                            "Key": {"pk": {"S": "counter"}},
                            "UpdateExpression": "SET n = :new",
                            "ConditionExpression": "n = :old",
                            "ExpressionAttributeValues": {
                                ":old": {"N": str(old)},
                                ":new": {"N": str(new)},
                            },
                        }
                    },
                    {"Put": {"TableName": self.table, "Item": {"pk": {"S": log}}}},
                ]
            )
            return True
        except self.dynamodb.exceptions.TransactionCanceledException:
            return False
