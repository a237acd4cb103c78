"""The table object: Python's own types, conditions that are built, a batch that keeps itself."""

from decimal import Decimal

from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

from endpoint import EndpointTest, fresh_name, resource


class TableObject(EndpointTest):
    def setUp(self):
        super().setUp()
        self.resource = resource()
        self.table = self.resource.create_table(
            TableName=fresh_name("movies"),
            KeySchema=[
                {"AttributeName": "year", "KeyType": "HASH"},
                {"AttributeName": "title", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": "year", "AttributeType": "N"},
                {"AttributeName": "title", "AttributeType": "S"},
            ],
            ProvisionedThroughput={"ReadCapacityUnits": 10, "WriteCapacityUnits": 10},
        )
        self.addCleanup(self.drop, self.table.name)
        self.table.meta.client.get_waiter("table_exists").wait(
            TableName=self.table.name, WaiterConfig={"Delay": 1}
        )
        self.table.reload()

    def test_the_object_knows_its_table(self):
        self.assertEqual(self.table.table_status, "ACTIVE")
        self.assertEqual(self.table.item_count, 0)
        self.assertEqual(self.table.key_schema[0], {"AttributeName": "year", "KeyType": "HASH"})
        self.assertIn(self.table.name, [table.name for table in self.resource.tables.all()])

    def test_python_values_come_back_as_they_went(self):
        item = {
            "year": 2015,
            "title": "The Big New Movie",
            "rating": Decimal("7.25"),
            "digits": Decimal("3.1415926535897932384626433832795028842"),
            "info": {"plot": None, "actors": ["Larry", "Moe", "Curly"], "good": True},
            "genres": {"Drama", "Comedy"},
            "scores": {1, 2, Decimal("3.5")},
            "poster": Binary(b"\x89PNG\r\n"),
            "thumbnails": {Binary(b"\x00"), Binary(b"\x01")},
        }
        self.table.put_item(Item=item)
        found = self.table.get_item(
            Key={"year": 2015, "title": "The Big New Movie"}, ConsistentRead=True
        )["Item"]
        self.assertEqual(found, item)

    def test_conditions_are_built_rather_than_written(self):
        with self.table.batch_writer() as batch:
            for number in range(40):
                batch.put_item(
                    Item={
                        "year": 2000 + number % 2,
                        "title": f"{'The ' if number % 4 == 0 else ''}Movie {number:02}",
                        "rating": Decimal(number) / 10,
                        "info": {"rank": number, "cast": ["A", "B"] if number % 3 else ["C"]},
                    }
                )
        answer = self.table.query(
            KeyConditionExpression=Key("year").eq(2000) & Key("title").begins_with("The "),
            FilterExpression=Attr("rating").between(Decimal("1.0"), Decimal("3.0"))
            & ~Attr("info.cast").contains("C"),
            ProjectionExpression="#y, title, info.#r",
            ExpressionAttributeNames={"#y": "year", "#r": "rank"},
        )
        expected = [n for n in range(40) if n % 4 == 0 and 10 <= n <= 30 and n % 3]
        self.assertEqual([item["info"]["rank"] for item in answer["Items"]], expected)
        self.assertEqual(set(answer["Items"][0]), {"year", "title", "info"})

        found = self.table.scan(
            FilterExpression=Attr("info.rank").is_in([1, 2, 99])
            | Attr("info.cast").size().eq(1) & Attr("rating").lt(1)
        )["Items"]
        self.assertEqual(
            sorted(item["info"]["rank"] for item in found), [0, 1, 2, 3, 6, 9]
        )

    def test_a_batch_that_overwrites_itself(self):
        with self.table.batch_writer(overwrite_by_pkeys=["year", "title"]) as batch:
            for number in range(100):
                batch.put_item(Item={"year": 1999, "title": f"{number % 30}", "n": number})
            batch.delete_item(Key={"year": 1999, "title": "0"})
        answer = self.table.scan()
        self.assertEqual(answer["Count"], 29)
        self.assertEqual(max(item["n"] for item in answer["Items"]), 99)

    def test_a_counter_counts(self):
        key = {"year": 2015, "title": "Counted"}
        self.table.put_item(Item={**key, "info": {"rating": 0, "actors": ["A", "B", "C"]}})
        for _ in range(3):
            answer = self.table.update_item(
                Key=key,
                UpdateExpression="SET info.rating = info.rating + :one",
                ExpressionAttributeValues={":one": Decimal(1)},
                ReturnValues="UPDATED_NEW",
            )
        self.assertEqual(answer["Attributes"], {"info": {"rating": 3}})
        answer = self.table.update_item(
            Key=key,
            UpdateExpression="REMOVE info.actors[0]",
            ConditionExpression=Attr("info.actors").size().gte(3),
            ReturnValues="ALL_NEW",
        )
        self.assertEqual(answer["Attributes"]["info"]["actors"], ["B", "C"])
        with self.assertRaises(
            self.table.meta.client.exceptions.ConditionalCheckFailedException
        ):
            self.table.delete_item(
                Key=key, ConditionExpression=Attr("info.actors").size().gte(3)
            )

    def test_the_resource_gets_batches_over_tables(self):
        with self.table.batch_writer() as batch:
            for number in range(5):
                batch.put_item(Item={"year": 1, "title": str(number)})
        answer = self.resource.batch_get_item(
            RequestItems={
                self.table.name: {
                    "Keys": [{"year": 1, "title": str(number)} for number in range(7)],
                    "ConsistentRead": True,
                }
            }
        )
        titles = sorted(item["title"] for item in answer["Responses"][self.table.name])
        self.assertEqual(titles, ["0", "1", "2", "3", "4"])

    def test_pages_by_hand(self):
        with self.table.batch_writer() as batch:
            for number in range(25):
                batch.put_item(Item={"year": 7, "title": f"{number:02}"})
        titles, start = [], {}
        while True:
            answer = self.table.query(
                KeyConditionExpression=Key("year").eq(7),
                ScanIndexForward=False,
                Limit=10,
                **start,
            )
            titles += [item["title"] for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
        self.assertEqual(titles, [f"{number:02}" for number in reversed(range(25))])
