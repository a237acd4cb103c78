"""An endpoint on a folder is stopped and started again: what was acknowledged is still there.

`restart.py write` before, `restart.py read` after.
"""

import sys

from endpoint import SOON, client, key_schema

TABLE = "kept-over-a-restart"
ITEMS = {str(number): {"pk": {"S": str(number)}, "n": {"N": str(number)}} for number in range(100)}


def write(dynamodb):
    dynamodb.create_table(
        TableName=TABLE,
        KeySchema=key_schema((("pk", "S"),)),
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        Tags=[{"Key": "kept", "Value": "yes"}],
    )
    dynamodb.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig=SOON)
    for item in ITEMS.values():
        dynamodb.put_item(TableName=TABLE, Item=item)


def read(dynamodb):
    found = {item["pk"]["S"]: item for item in dynamodb.scan(TableName=TABLE)["Items"]}
    assert found == ITEMS, found
    table = dynamodb.describe_table(TableName=TABLE)["Table"]
    assert table["ItemCount"] == len(ITEMS), table
    tags = dynamodb.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
    assert tags == [{"Key": "kept", "Value": "yes"}], tags
    streams = client("dynamodbstreams")
    stream = streams.describe_stream(StreamArn=table["LatestStreamArn"])["StreamDescription"]
    iterator = streams.get_shard_iterator(
        StreamArn=stream["StreamArn"],
        ShardId=stream["Shards"][0]["ShardId"],
        ShardIteratorType="TRIM_HORIZON",
    )["ShardIterator"]
    records = streams.get_records(ShardIterator=iterator)["Records"]
    images = [record["dynamodb"]["NewImage"] for record in records]
    assert images == list(ITEMS.values()), images


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](client())
