"""The developer guide's getting-started chapter, typed into a shell as it stands there."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from endpoint import fresh_name


def aws(*words):
    """Runs `aws dynamodb ...` and returns its exit code, standard output and standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "awscli", *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class GettingStarted(unittest.TestCase):
    maxDiff = None

    def dynamodb(self, *words):
        """What a command prints, as JSON; the command must succeed."""
        code, printed, complaint = aws("dynamodb", *words)
        self.assertEqual((code, complaint), (0, ""), words)
        return json.loads(printed) if printed.strip() else None

    def refused(self, *words):
        """What a command complains of; it must fail the way the CLI fails for a refusal."""
        code, printed, complaint = aws("dynamodb", *words)
        self.assertEqual((code, printed), (255, ""), complaint)
        return complaint.strip()

    def test_the_chapter_from_step_1_to_step_8(self):
        music = fresh_name("Music")

        # Step 1: create a table.
        created = self.dynamodb(
            *("create-table", "--table-name", music),
            *("--attribute-definitions", "AttributeName=Artist,AttributeType=S"),
            "AttributeName=SongTitle,AttributeType=S",
            *("--key-schema", "AttributeName=Artist,KeyType=HASH"),
            "AttributeName=SongTitle,KeyType=RANGE",
            *("--billing-mode", "PAY_PER_REQUEST", "--table-class", "STANDARD"),
        )
        self.assertEqual(created["TableDescription"]["TableName"], music)
        self.dynamodb("wait", "table-exists", "--table-name", music)
        status = self.dynamodb(
            *("describe-table", "--table-name", music, "--query", "Table.TableStatus")
        )
        self.assertEqual(status, "ACTIVE")

        # Step 2: write data.
        for artist, title, album, awards in [
            ("No One You Know", "Call Me Today", "Somewhat Famous", "1"),
            ("No One You Know", "Howdy", "Somewhat Famous", "2"),
            ("Acme Band", "Happy Day", "Songs About Life", "10"),
            ("Acme Band", "PartiQL Rocks", "Another Album Title", "8"),
        ]:
            item = {
                "Artist": {"S": artist},
                "SongTitle": {"S": title},
                "AlbumTitle": {"S": album},
                "Awards": {"N": awards},
            }
            self.dynamodb("put-item", "--table-name", music, "--item", json.dumps(item))

        # Step 3: read data.
        key = '{"Artist": {"S": "Acme Band"}, "SongTitle": {"S": "Happy Day"}}'
        found = self.dynamodb(
            *("get-item", "--consistent-read", "--table-name", music, "--key", key)
        )
        self.assertEqual(found["Item"]["Awards"], {"N": "10"})

        # Step 4: update data.
        updated = self.dynamodb(
            *("update-item", "--table-name", music, "--key", key),
            *("--update-expression", "SET AlbumTitle = :newval"),
            *("--expression-attribute-values", '{":newval": {"S": "Updated Album Title"}}'),
            *("--return-values", "ALL_NEW"),
        )
        self.assertEqual(updated["Attributes"]["AlbumTitle"], {"S": "Updated Album Title"})

        # Step 5: query data.
        queried = self.dynamodb(
            *("query", "--table-name", music),
            *("--key-condition-expression", "Artist = :name"),
            *("--expression-attribute-values", '{":name": {"S": "Acme Band"}}'),
        )
        self.assertEqual(
            [item["SongTitle"]["S"] for item in queried["Items"]], ["Happy Day", "PartiQL Rocks"]
        )

        # Step 6: create a global secondary index, and step 7: query it.
        index = {
            "Create": {
                "IndexName": "AlbumTitle-index",
                "KeySchema": [{"AttributeName": "AlbumTitle", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        }
        self.dynamodb(
            *("update-table", "--table-name", music),
            *("--attribute-definitions", "AttributeName=AlbumTitle,AttributeType=S"),
            *("--global-secondary-index-updates", json.dumps([index])),
        )
        self.dynamodb("wait", "table-exists", "--table-name", music)
        queried = self.dynamodb(
            *("query", "--table-name", music, "--index-name", "AlbumTitle-index"),
            *("--key-condition-expression", "AlbumTitle = :name"),
            *("--expression-attribute-values", '{":name": {"S": "Somewhat Famous"}}'),
        )
        self.assertEqual(queried["Count"], 2)

        # Step 8: clean up.
        self.dynamodb("delete-table", "--table-name", music)
        self.dynamodb("wait", "table-not-exists", "--table-name", music)
        self.assertRegex(
            self.refused("describe-table", "--table-name", music),
            r"An error occurred \(ResourceNotFoundException\) when calling the DescribeTable "
            rf"operation.*: Requested resource not found: Table: {music} not found",
        )

    def test_pages_files_and_refusals(self):
        table = fresh_name("cli")
        self.dynamodb(
            *("create-table", "--table-name", table, "--billing-mode", "PAY_PER_REQUEST"),
            *("--attribute-definitions", "AttributeName=id,AttributeType=N"),
            *("--key-schema", "AttributeName=id,KeyType=HASH"),
            *("--tags", "Key=team,Value=red"),
        )
        self.dynamodb("wait", "table-exists", "--table-name", table)

        # A batch from a file, as the guide's "load sample data" does.
        puts = [{"PutRequest": {"Item": {"id": {"N": str(n)}}}} for n in range(20)]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "batch.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({table: puts}, file)
            answer = self.dynamodb("batch-write-item", "--request-items", f"file://{path}")
        self.assertEqual(answer, {"UnprocessedItems": {}})

        # The CLI fetches all pages, and can stop after some items.
        everything = self.dynamodb("scan", "--table-name", table, "--page-size", "3")
        self.assertEqual(everything["Count"], 20)
        first = self.dynamodb(
            *("scan", "--table-name", table, "--max-items", "7", "--page-size", "3")
        )
        rest = self.dynamodb(
            *("scan", "--table-name", table, "--starting-token", first["NextToken"])
        )
        numbers = [int(item["id"]["N"]) for item in first["Items"] + rest["Items"]]
        self.assertEqual(sorted(numbers), list(range(20)))

        # This version of the CLI takes binary as raw text and prints it as base64.
        self.dynamodb(
            *("put-item", "--table-name", table),
            *("--item", '{"id": {"N": "99"}, "data": {"B": "raw"}}'),
        )
        found = self.dynamodb(
            *("get-item", "--table-name", table, "--key", '{"id": {"N": "99"}}')
        )
        self.assertEqual(found["Item"]["data"], {"B": "cmF3"})

        # Error messages name the operation and the reason.
        self.assertRegex(
            self.refused(
                *("put-item", "--table-name", table, "--item", '{"id": {"N": "1"}}'),
                *("--condition-expression", "attribute_not_exists(id)"),
            ),
            r"An error occurred \(ConditionalCheckFailedException\) when calling the PutItem "
            r"operation.*: The conditional request failed",
        )
        arn = self.dynamodb(
            *("describe-table", "--table-name", table, "--query", "Table.TableArn")
        )
        tags = self.dynamodb("list-tags-of-resource", "--resource-arn", arn)
        self.assertEqual(tags["Tags"], [{"Key": "team", "Value": "red"}])
        self.dynamodb("delete-table", "--table-name", table)
