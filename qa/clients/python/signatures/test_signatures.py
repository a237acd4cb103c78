"""An endpoint that was given credentials answers those who sign with them, and nobody else.

All suites that run on such an endpoint show the first half; this one shows the second.
"""

import os
import unittest

import boto3
from botocore import UNSIGNED
from botocore.exceptions import ClientError

from endpoint import ONCE, Config


class Signatures(unittest.TestCase):
    def refused(self, **session):
        with self.assertRaises(ClientError) as caught:
            boto3.client("dynamodb", **{"config": ONCE, **session}).list_tables()
        error = caught.exception.response
        self.assertEqual(error["ResponseMetadata"]["HTTPStatusCode"], 400)
        return error["Error"]["Code"], error["Error"]["Message"]

    def test_whoever_has_the_secret_is_answered(self):
        self.assertIn("TableNames", boto3.client("dynamodb", config=ONCE).list_tables())

    def test_a_key_that_nobody_gave_out(self):
        self.assertEqual(
            self.refused(aws_access_key_id="AKIDNOBODY", aws_secret_access_key="x"),
            (
                "UnrecognizedClientException",
                "The security token included in the request is invalid.",
            ),
        )

    def test_a_secret_that_does_not_belong_to_the_key(self):
        code, text = self.refused(
            aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"], aws_secret_access_key="wrong"
        )
        self.assertEqual(code, "InvalidSignatureException")
        self.assertTrue(
            text.startswith(
                "The request signature we calculated does not match the signature you provided. "
                "Check your AWS Secret Access Key and signing method. "
                "Consult the service documentation for details."
            ),
            text,
        )

    def test_no_signature_at_all(self):
        self.assertEqual(
            self.refused(config=ONCE.merge(Config(signature_version=UNSIGNED))),
            ("MissingAuthenticationTokenException", "Request is missing Authentication Token"),
        )
