"""What the Python suites share: the way to the endpoint, and tables that go away again.

The suites are ordinary programs. They learn where the endpoint is as every AWS SDK does, from
AWS_ENDPOINT_URL, and they refuse to run without it, because they would otherwise talk to AWS.
"""

import os
import time
import unittest
import uuid

import boto3
from botocore.config import Config

if not os.environ.get("AWS_ENDPOINT_URL"):
    raise SystemExit("Set AWS_ENDPOINT_URL; without it, these tests would run on AWS itself.")

# One attempt: a retry would hide an answer that should not have been given.
ONCE = Config(retries={"total_max_attempts": 1}, connect_timeout=60, read_timeout=120)
# Tables and streams are ready within milliseconds here; waiters ask every 20 seconds by default.
SOON = {"Delay": 1, "MaxAttempts": 120}


def client(service="dynamodb"):
    return boto3.client(service, config=ONCE)


def resource():
    return boto3.resource("dynamodb", config=ONCE)


def fresh_name(story):
    """A name that no other test uses, so that suites can share an endpoint."""
    return f"{story}-{uuid.uuid4().hex[:12]}"


def eventually(attempt, seconds=120):
    """What `attempt` returns once it returns something, asked again and again."""
    deadline = time.monotonic() + seconds
    while True:
        found = attempt()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"nothing came within {seconds} seconds")
        time.sleep(0.1)


class EndpointTest(unittest.TestCase):
    """A test that makes tables with the low-level client, and removes them when it is over."""

    maxDiff = None

    def setUp(self):
        self.dynamodb = client()

    def create(self, story="story", key=(("pk", "S"),), indexes=(), **more):
        """Creates a table and waits for it. `key` is (name, type) of one or two attributes,
        an index is (name, key)."""
        name = fresh_name(story)
        attributes = dict(key)
        for _, index_key in indexes:
            attributes.update(index_key)
        request = {
            "TableName": name,
            "KeySchema": key_schema(key),
            "AttributeDefinitions": [
                {"AttributeName": attribute, "AttributeType": kind}
                for attribute, kind in attributes.items()
            ],
            "BillingMode": "PAY_PER_REQUEST",
        }
        if indexes:
            request["GlobalSecondaryIndexes"] = [
                {
                    "IndexName": index,
                    "KeySchema": key_schema(index_key),
                    "Projection": {"ProjectionType": "ALL"},
                }
                for index, index_key in indexes
            ]
        self.dynamodb.create_table(**request, **more)
        self.addCleanup(self.drop, name)
        self.dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig=SOON)
        return name

    def drop(self, name):
        try:
            self.dynamodb.delete_table(TableName=name)
        except self.dynamodb.exceptions.ResourceNotFoundException:
            pass

    def assertRefused(self, code, text, call, **parameters):
        """`call` is refused with exactly this code and text. Returns the whole error."""
        with self.assertRaises(self.dynamodb.exceptions.ClientError) as caught:
            call(**parameters)
        error = caught.exception.response["Error"]
        self.assertEqual((error["Code"], error["Message"]), (code, text))
        return caught.exception


def key_schema(key):
    roles = ("HASH", "RANGE")
    return [
        {"AttributeName": attribute, "KeyType": role}
        for (attribute, _), role in zip(key, roles)
    ]
