"""The stream of a table: every change once, in order, with the images that were asked for."""

import time

from endpoint import EndpointTest, client, eventually


class Streams(EndpointTest):
    def setUp(self):
        super().setUp()
        self.streams = client("dynamodbstreams")

    def create_streamed(self, view):
        name = self.create(
            "streamed", StreamSpecification={"StreamEnabled": True, "StreamViewType": view}
        )
        table = self.dynamodb.describe_table(TableName=name)["Table"]
        self.assertEqual(
            table["StreamSpecification"], {"StreamEnabled": True, "StreamViewType": view}
        )
        self.assertTrue(table["LatestStreamArn"].endswith(table["LatestStreamLabel"]))
        return name, table["LatestStreamArn"]

    def shards(self, arn):
        return self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]

    def read(self, arn, kind="TRIM_HORIZON", **position):
        """All records from a position on, over all shards."""
        records = []
        for shard in self.shards(arn):
            iterator = self.streams.get_shard_iterator(
                StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType=kind, **position
            )["ShardIterator"]
            for _ in range(10):
                answer = self.streams.get_records(ShardIterator=iterator, Limit=2)
                records += answer["Records"]
                iterator = answer.get("NextShardIterator")
                if iterator is None or not answer["Records"]:
                    break
        return records

    def test_every_kind_of_change_is_told_in_order(self):
        name, arn = self.create_streamed("NEW_AND_OLD_IMAGES")
        key = {"pk": {"S": "a"}}
        self.dynamodb.put_item(TableName=name, Item={**key, "n": {"N": "1"}, "b": {"B": b"\x00"}})
        self.dynamodb.update_item(
            TableName=name,
            Key=key,
            UpdateExpression="SET n = :two",
            ExpressionAttributeValues={":two": {"N": "2"}},
        )
        # A write that changes nothing makes no record.
        self.dynamodb.put_item(TableName=name, Item={**key, "n": {"N": "2"}, "b": {"B": b"\x00"}})
        self.dynamodb.delete_item(TableName=name, Key=key)

        records = eventually(lambda: (found := self.read(arn)) and len(found) >= 3 and found)
        self.assertEqual([each["eventName"] for each in records], ["INSERT", "MODIFY", "REMOVE"])
        changes = [each["dynamodb"] for each in records]
        self.assertNotIn("OldImage", changes[0])
        self.assertEqual(changes[0]["NewImage"], {**key, "n": {"N": "1"}, "b": {"B": b"\x00"}})
        self.assertEqual(changes[1]["OldImage"]["n"], {"N": "1"})
        self.assertEqual(changes[1]["NewImage"]["n"], {"N": "2"})
        self.assertNotIn("NewImage", changes[2])
        for record in records:
            self.assertEqual(record["eventSource"], "aws:dynamodb")
            self.assertEqual(record["dynamodb"]["Keys"], key)
            self.assertEqual(record["dynamodb"]["StreamViewType"], "NEW_AND_OLD_IMAGES")
            self.assertGreater(record["dynamodb"]["SizeBytes"], 0)
        numbers = [int(each["SequenceNumber"]) for each in changes]
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_a_view_shows_what_it_says(self):
        for view, images in {
            "KEYS_ONLY": set(),
            "NEW_IMAGE": {"NewImage"},
            "OLD_IMAGE": {"OldImage"},
        }.items():
            with self.subTest(view):
                name, arn = self.create_streamed(view)
                for number in ("1", "2"):
                    self.dynamodb.put_item(
                        TableName=name, Item={"pk": {"S": "a"}, "n": {"N": number}}
                    )
                records = eventually(
                    lambda: (found := self.read(arn)) and len(found) == 2 and found
                )
                shown = {"NewImage", "OldImage"} & set(records[1]["dynamodb"])
                self.assertEqual(shown, images)

    def test_reading_can_begin_anywhere(self):
        name, arn = self.create_streamed("KEYS_ONLY")
        for number in range(5):
            self.dynamodb.put_item(TableName=name, Item={"pk": {"S": str(number)}})
        records = eventually(lambda: (found := self.read(arn)) and len(found) == 5 and found)
        third = records[2]["dynamodb"]["SequenceNumber"]
        at = self.read(arn, "AT_SEQUENCE_NUMBER", SequenceNumber=third)
        after = self.read(arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=third)
        self.assertEqual(at, records[2:])
        self.assertEqual(after, records[3:])

        (shard,) = [each for each in self.shards(arn)]
        latest = self.streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="LATEST"
        )["ShardIterator"]
        self.dynamodb.put_item(TableName=name, Item={"pk": {"S": "late"}})
        answer = self.streams.get_records(ShardIterator=latest)
        self.assertEqual(
            [each["dynamodb"]["Keys"] for each in answer["Records"]], [{"pk": {"S": "late"}}]
        )

    def test_streams_are_listed_by_table(self):
        name, arn = self.create_streamed("KEYS_ONLY")
        (listed,) = self.streams.list_streams(TableName=name)["Streams"]
        self.assertEqual((listed["StreamArn"], listed["TableName"]), (arn, name))

    def test_a_stream_can_be_switched_off(self):
        name, arn = self.create_streamed("KEYS_ONLY")
        self.dynamodb.update_table(
            TableName=name, StreamSpecification={"StreamEnabled": False}
        )
        eventually(
            lambda: self.streams.describe_stream(StreamArn=arn)["StreamDescription"][
                "StreamStatus"
            ]
            == "DISABLED"
        )
        table = self.dynamodb.describe_table(TableName=name)["Table"]
        self.assertNotIn("StreamSpecification", table)

    def test_errors_of_streams_have_their_classes(self):
        name, arn = self.create_streamed("KEYS_ONLY")
        with self.assertRaises(self.streams.exceptions.ResourceNotFoundException):
            self.streams.describe_stream(StreamArn=arn.replace(name, f"{name}-not"))
        with self.assertRaises(self.streams.exceptions.ResourceNotFoundException):
            self.streams.get_shard_iterator(
                StreamArn=arn,
                ShardId="shardId-00000000000000000000-deadbeef",
                ShardIteratorType="LATEST",
            )
        with self.assertRaises(self.streams.exceptions.ClientError) as caught:
            self.streams.get_records(ShardIterator="no iterator")
        self.assertEqual(caught.exception.response["Error"]["Code"], "ValidationException")


class TimeToLive(EndpointTest):
    def test_what_has_expired_is_deleted_and_the_stream_says_by_whom(self):
        streams = client("dynamodbstreams")
        name = self.create(
            "expiring",
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"},
        )
        self.dynamodb.update_time_to_live(
            TableName=name,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"},
        )
        described = self.dynamodb.describe_time_to_live(TableName=name)
        self.assertEqual(
            described["TimeToLiveDescription"],
            {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"},
        )
        now = int(time.time())
        for key, until in (("gone", now - 10), ("stays", now + 3600)):
            self.dynamodb.put_item(
                TableName=name, Item={"pk": {"S": key}, "until": {"N": str(until)}}
            )
        eventually(
            lambda: [item["pk"]["S"] for item in self.dynamodb.scan(TableName=name)["Items"]]
            == ["stays"]
        )
        arn = self.dynamodb.describe_table(TableName=name)["Table"]["LatestStreamArn"]
        (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        records = streams.get_records(ShardIterator=iterator)["Records"]
        (removed,) = [each for each in records if each["eventName"] == "REMOVE"]
        self.assertEqual(
            removed["userIdentity"], {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
        )
        self.assertEqual(removed["dynamodb"]["OldImage"]["pk"], {"S": "gone"})
        self.assertRefused(
            "ValidationException",
            "TimeToLive is already enabled",
            self.dynamodb.update_time_to_live,
            TableName=name,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"},
        )
