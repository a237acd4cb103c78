"""The life of a table: created, described, changed, listed, protected, deleted."""

from endpoint import SOON, EndpointTest, eventually, fresh_name


class Tables(EndpointTest):
    def test_a_table_is_described_as_it_was_created(self):
        name = fresh_name("described")
        created = self.dynamodb.create_table(
            TableName=name,
            AttributeDefinitions=[
                {"AttributeName": "owner", "AttributeType": "S"},
                {"AttributeName": "at", "AttributeType": "N"},
                {"AttributeName": "colour", "AttributeType": "B"},
            ],
            KeySchema=[
                {"AttributeName": "owner", "KeyType": "HASH"},
                {"AttributeName": "at", "KeyType": "RANGE"},
            ],
            LocalSecondaryIndexes=[
                {
                    "IndexName": "by-colour",
                    "KeySchema": [
                        {"AttributeName": "owner", "KeyType": "HASH"},
                        {"AttributeName": "colour", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["size"]},
                }
            ],
            ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 3},
        )["TableDescription"]
        self.addCleanup(self.drop, name)
        self.assertIn(created["TableStatus"], ("CREATING", "ACTIVE"))

        self.dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig=SOON)
        table = self.dynamodb.describe_table(TableName=name)["Table"]
        self.assertEqual(table["TableStatus"], "ACTIVE")
        self.assertEqual(table["TableArn"].split(":")[-1], f"table/{name}")
        self.assertEqual(table["TableId"], created["TableId"])
        self.assertEqual(table["CreationDateTime"], created["CreationDateTime"])
        self.assertEqual(table["ItemCount"], 0)
        self.assertEqual(table["KeySchema"][1], {"AttributeName": "at", "KeyType": "RANGE"})
        self.assertEqual(table["ProvisionedThroughput"]["ReadCapacityUnits"], 5)
        self.assertEqual(table["ProvisionedThroughput"]["WriteCapacityUnits"], 3)
        (index,) = table["LocalSecondaryIndexes"]
        self.assertEqual(index["IndexArn"], f"{table['TableArn']}/index/by-colour")
        self.assertEqual(
            index["Projection"], {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["size"]}
        )

    def test_a_second_table_of_the_same_name_is_refused(self):
        name = self.create("twice")
        self.assertRefused(
            "ResourceInUseException",
            f"Table already exists: {name}",
            self.dynamodb.create_table,
            TableName=name,
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
        with self.assertRaises(self.dynamodb.exceptions.ResourceInUseException):
            self.dynamodb.create_table(
                TableName=name,
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                BillingMode="PAY_PER_REQUEST",
            )

    def test_a_table_that_does_not_exist_has_its_own_class_of_error(self):
        name = fresh_name("nowhere")
        with self.assertRaises(self.dynamodb.exceptions.ResourceNotFoundException):
            self.dynamodb.get_item(TableName=name, Key={"pk": {"S": "a"}})
        self.assertRefused(
            "ResourceNotFoundException",
            f"Requested resource not found: Table: {name} not found",
            self.dynamodb.describe_table,
            TableName=name,
        )

    def test_the_paginator_lists_every_table_once(self):
        names = {self.create("listed") for _ in range(5)}
        paginator = self.dynamodb.get_paginator("list_tables")
        pages = list(paginator.paginate(PaginationConfig={"PageSize": 2}))
        self.assertTrue(all(len(page["TableNames"]) <= 2 for page in pages))
        listed = [name for page in pages for name in page["TableNames"]]
        self.assertEqual(len(listed), len(set(listed)))
        self.assertLessEqual(names, set(listed))

    def test_an_index_is_filled_while_it_is_added(self):
        name = self.create("indexed", key=(("pk", "S"),))
        for number in range(30):
            self.dynamodb.put_item(
                TableName=name,
                Item={"pk": {"S": f"item-{number}"}, "team": {"S": "red" if number % 3 else "blue"}},
            )
        self.dynamodb.update_table(
            TableName=name,
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "team", "AttributeType": "S"},
            ],
            GlobalSecondaryIndexUpdates=[
                {
                    "Create": {
                        "IndexName": "by-team",
                        "KeySchema": [{"AttributeName": "team", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "KEYS_ONLY"},
                    }
                }
            ],
        )
        eventually(lambda: self.index_statuses(name) == ["ACTIVE"])
        found = self.dynamodb.query(
            TableName=name,
            IndexName="by-team",
            KeyConditionExpression="team = :team",
            ExpressionAttributeValues={":team": {"S": "blue"}},
        )
        self.assertEqual(found["Count"], 10)
        self.assertEqual(set(found["Items"][0]), {"pk", "team"})

        self.dynamodb.update_table(
            TableName=name,
            GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-team"}}],
        )
        eventually(lambda: self.index_statuses(name) == [])

    def index_statuses(self, name):
        table = self.dynamodb.describe_table(TableName=name)["Table"]
        return [index["IndexStatus"] for index in table.get("GlobalSecondaryIndexes", [])]

    def test_a_protected_table_cannot_be_deleted(self):
        name = self.create("protected", DeletionProtectionEnabled=True)
        self.addCleanup(self.drop, name)
        self.addCleanup(
            self.dynamodb.update_table, TableName=name, DeletionProtectionEnabled=False
        )
        error = self.assertRefused(
            "ValidationException",
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first.",
            self.dynamodb.delete_table,
            TableName=name,
        )
        self.assertEqual(error.response["ResponseMetadata"]["HTTPStatusCode"], 400)

    def test_a_deleted_table_is_gone_and_its_name_is_free(self):
        name = self.create("gone")
        self.dynamodb.put_item(TableName=name, Item={"pk": {"S": "a"}})
        deleted = self.dynamodb.delete_table(TableName=name)["TableDescription"]
        self.assertIn(deleted["TableStatus"], ("DELETING", "ACTIVE"))
        self.dynamodb.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig=SOON)
        self.dynamodb.create_table(
            TableName=name,
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            BillingMode="PAY_PER_REQUEST",
        )
        self.dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig=SOON)
        self.assertEqual(self.dynamodb.scan(TableName=name)["Count"], 0)

    def test_billing_can_be_changed(self):
        name = self.create("billed")
        table = self.dynamodb.describe_table(TableName=name)["Table"]
        self.assertEqual(table["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")
        self.dynamodb.update_table(
            TableName=name,
            BillingMode="PROVISIONED",
            ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 8},
        )
        self.dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig=SOON)
        table = self.dynamodb.describe_table(TableName=name)["Table"]
        self.assertEqual(table["BillingModeSummary"]["BillingMode"], "PROVISIONED")
        self.assertEqual(table["ProvisionedThroughput"]["WriteCapacityUnits"], 8)

    def test_tags_come_and_go(self):
        name = self.create("tagged", Tags=[{"Key": "team", "Value": "red"}])
        arn = self.dynamodb.describe_table(TableName=name)["Table"]["TableArn"]
        more = [{"Key": f"key-{number}", "Value": str(number)} for number in range(14)]
        self.dynamodb.tag_resource(ResourceArn=arn, Tags=more)
        paginator = self.dynamodb.get_paginator("list_tags_of_resource")
        tags = {
            tag["Key"]: tag["Value"]
            for page in paginator.paginate(ResourceArn=arn)
            for tag in page["Tags"]
        }
        self.assertEqual(len(tags), 15)
        self.assertEqual(tags["team"], "red")
        self.dynamodb.untag_resource(ResourceArn=arn, TagKeys=list(tags)[:14])
        self.assertEqual(len(self.dynamodb.list_tags_of_resource(ResourceArn=arn)["Tags"]), 1)

    def test_limits_and_endpoints_are_told(self):
        limits = self.dynamodb.describe_limits()
        self.assertGreaterEqual(limits["AccountMaxReadCapacityUnits"], 1)
        (endpoint,) = self.dynamodb.describe_endpoints()["Endpoints"]
        self.assertTrue(endpoint["Address"])
