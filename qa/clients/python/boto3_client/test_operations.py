"""Every operation that boto3 knows is offered, or says that it is not, as docs/operations.md has it."""

import re
from pathlib import Path

import boto3
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import ClientError

from endpoint import ONCE, EndpointTest

PAGE = Path(__file__).parents[4] / "docs" / "operations.md"

# Parameters that boto3 needs even with validation off.
NEEDED = {
    "BatchGetItem": {"RequestItems": {}},
    "BatchWriteItem": {"RequestItems": {}},
    "TransactGetItems": {"TransactItems": []},
    "TransactWriteItems": {"TransactItems": []},
}


def listed():
    """The names in the page's two tables."""
    offered, unoffered = PAGE.read_text(encoding="utf-8").split("\n## Not offered\n")
    return tuple(
        {
            name
            for line in part.splitlines()
            if line.startswith("| ")
            for name in re.findall(r"\w+", line.split("|")[2])
        }
        for part in (offered, unoffered)
    )


class Operations(EndpointTest):
    def test_every_operation_is_offered_or_named_in_its_refusal(self):
        anything_goes = ONCE.merge(Config(parameter_validation=False))
        answered, refused = set(), set()
        for service in ("dynamodb", "dynamodbstreams"):
            client = boto3.client(service, config=anything_goes)
            for name in client.meta.service_model.operation_names:
                try:
                    getattr(client, xform_name(name))(**NEEDED.get(name, {}))
                except ClientError as caught:
                    error = caught.response["Error"]
                    if error["Code"] == "UnknownOperationException":
                        self.assertEqual(
                            error["Message"], f"Singlet does not offer the operation {name}."
                        )
                        refused.add(name)
                        continue
                answered.add(name)
        self.assertEqual((answered, refused), listed())
