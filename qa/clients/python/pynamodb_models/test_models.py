"""PynamoDB: models as classes, on top of botocore."""

import os
import unittest
from datetime import datetime, timedelta, timezone

from pynamodb.attributes import (
    BinaryAttribute,
    BinarySetAttribute,
    BooleanAttribute,
    JSONAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    NumberSetAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import (
    DeleteError,
    PutError,
    TableDoesNotExist,
    TransactWriteError,
    UpdateError,
)
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex, LocalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

from endpoint import eventually, fresh_name


class ByAuthor(GlobalSecondaryIndex):
    class Meta:
        index_name = "by-author"
        projection = AllProjection()

    author = UnicodeAttribute(hash_key=True)
    views = NumberAttribute(range_key=True)


class ByViews(LocalSecondaryIndex):
    class Meta:
        index_name = "by-views"
        projection = AllProjection()

    forum = UnicodeAttribute(hash_key=True)
    views = NumberAttribute(range_key=True)


class Poster(MapAttribute):
    name = UnicodeAttribute()
    age = NumberAttribute(null=True)


class Thread(Model):
    class Meta:
        table_name = fresh_name("threads")
        host = os.environ["AWS_ENDPOINT_URL"]
        region = "us-east-1"
        billing_mode = "PAY_PER_REQUEST"
        max_retry_attempts = 0

    forum = UnicodeAttribute(hash_key=True)
    subject = UnicodeAttribute(range_key=True)
    author = UnicodeAttribute(null=True)
    views = NumberAttribute(default=0)
    tags = UnicodeSetAttribute(null=True)
    scores = NumberSetAttribute(null=True)
    blobs = BinarySetAttribute(legacy_encoding=False, null=True)
    body = BinaryAttribute(legacy_encoding=False, null=True)
    pinned = BooleanAttribute(null=True)
    posters = ListAttribute(of=Poster, null=True)
    extra = JSONAttribute(null=True)
    made = UTCDateTimeAttribute(null=True)
    until = TTLAttribute(null=True)

    by_author = ByAuthor()
    by_views = ByViews()


class Document(Model):
    class Meta:
        table_name = fresh_name("documents")
        host = os.environ["AWS_ENDPOINT_URL"]
        region = "us-east-1"
        billing_mode = "PAY_PER_REQUEST"
        max_retry_attempts = 0

    name = UnicodeAttribute(hash_key=True)
    text = UnicodeAttribute(null=True)
    version = VersionAttribute()


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for model in (Thread, Document):
            model.create_table(wait=True)
            cls.addClassCleanup(model.delete_table)

    def tearDown(self):
        for model in (Thread, Document):
            with model.batch_write() as batch:
                for item in model.scan():
                    batch.delete(item)

    def test_a_model_comes_back_as_it_was_saved(self):
        made = datetime(2026, 2, 3, 4, 5, 6, 789000, tzinfo=timezone.utc)
        saved = Thread(
            "rust",
            "ownership",
            author="anna",
            views=3,
            tags={"a", "b"},
            scores={1, 2.5},
            blobs={b"\x00", b"\xff"},
            body=b"\x00\x01",
            pinned=False,
            posters=[Poster(name="ben", age=3), Poster(name="cleo")],
            extra={"a": [1, None]},
            made=made,
            until=timedelta(hours=1),
        )
        saved.save()
        found = Thread.get("rust", "ownership", consistent_read=True)
        self.assertEqual(found.serialize(), saved.serialize())
        self.assertEqual(found.posters[0].name, "ben")
        self.assertEqual((found.made, found.body), (made, b"\x00\x01"))
        with self.assertRaises(Thread.DoesNotExist):
            Thread.get("rust", "nothing")

    def test_tables_that_are_not_there(self):
        class Nowhere(Thread):
            class Meta(Thread.Meta):
                table_name = fresh_name("nowhere")

        self.assertFalse(Nowhere.exists())
        self.assertTrue(Thread.exists())
        with self.assertRaises(TableDoesNotExist):
            Nowhere.describe_table()

    def test_conditions_and_updates(self):
        thread = Thread("rust", "traits", views=1, tags={"old"})
        thread.save(Thread.subject.does_not_exist())
        with self.assertRaises(PutError) as refused:
            thread.save(Thread.subject.does_not_exist())
        self.assertEqual(refused.exception.cause_response_code, "ConditionalCheckFailedException")

        thread.update(
            actions=[
                Thread.views.add(4),
                Thread.author.set("ben"),
                Thread.tags.delete({"old"}),
                Thread.posters.set([{"name": "anna"}]),
            ],
            condition=(Thread.views == 1) & Thread.author.does_not_exist(),
        )
        self.assertEqual((thread.views, thread.author, thread.tags), (5, "ben", None))
        thread.update(actions=[Thread.posters.set(Thread.posters.append([{"name": "cleo"}]))])
        self.assertEqual([poster.name for poster in thread.posters], ["anna", "cleo"])
        with self.assertRaises(UpdateError):
            thread.update(actions=[Thread.views.set(0)], condition=Thread.views > 100)
        with self.assertRaises(DeleteError):
            thread.delete(Thread.author.startswith("x"))
        thread.delete(Thread.author.is_in("ben", "anna"))
        self.assertEqual(Thread.count(), 0)

    def fill(self, count):
        with Thread.batch_write() as batch:
            for number in range(count):
                batch.save(
                    Thread(
                        "rust",
                        f"subject-{number:03}",
                        author=f"author-{number % 2}",
                        views=count - number,
                    )
                )

    def test_queries_pages_and_indexes(self):
        self.fill(60)
        found = Thread.query("rust", Thread.subject.between("subject-010", "subject-019"))
        self.assertEqual(len(list(found)), 10)
        pages = Thread.query("rust", page_size=7, limit=20, scan_index_forward=False)
        self.assertEqual([each.subject for each in pages][:2], ["subject-059", "subject-058"])
        self.assertEqual(Thread.count("rust", filter_condition=Thread.views > 50), 10)

        first = Thread.query("rust", limit=5)
        self.assertEqual(len(list(first)), 5)
        rest = Thread.query("rust", last_evaluated_key=first.last_evaluated_key)
        self.assertEqual(len(list(rest)), 55)

        by_author = Thread.by_author.query("author-1", Thread.views <= 10, page_size=2)
        self.assertEqual([each.views for each in by_author], [1, 3, 5, 7, 9])
        by_views = list(Thread.by_views.query("rust", limit=3))
        self.assertEqual([each.views for each in by_views], [1, 2, 3])

    def test_scans_batches_and_segments(self):
        self.fill(60)
        keys = [("rust", f"subject-{number:03}") for number in range(0, 120, 2)]
        self.assertEqual(len(list(Thread.batch_get(keys))), 30)
        seen = [
            each.subject
            for segment in range(3)
            for each in Thread.scan(segment=segment, total_segments=3, page_size=5)
        ]
        self.assertEqual(len(seen), 60)
        self.assertEqual(len(set(seen)), 60)
        self.assertEqual(len(list(Thread.scan(Thread.author == "author-0"))), 30)

    def test_a_version_refuses_whoever_read_before(self):
        first = Document("a", text="one")
        first.save()
        stale = Document.get("a")
        first.update(actions=[Document.text.set("two")])
        self.assertEqual(first.version, 2)
        stale.text = "three"
        with self.assertRaises(PutError):
            stale.save()
        self.assertEqual(Document.get("a").text, "two")

    def test_transactions(self):
        connection = Connection(region="us-east-1", host=os.environ["AWS_ENDPOINT_URL"])
        with TransactWrite(connection=connection, client_request_token=fresh_name("t")) as together:
            together.save(Document("a", text="one"), condition=Document.name.does_not_exist())
            together.save(Document("b"))
            together.save(Thread("rust", "lifetimes", views=1))
        with TransactGet(connection=connection) as together:
            a = together.get(Document, "a")
            thread = together.get(Thread, "rust", "lifetimes")
        self.assertEqual((a.get().text, thread.get().views), ("one", 1))

        with self.assertRaises(TransactWriteError) as refused:
            with TransactWrite(connection=connection) as together:
                together.update(
                    Thread("rust", "lifetimes"),
                    actions=[Thread.views.add(1)],
                    condition=Thread.views == 1,
                )
                together.condition_check(Document, "b", condition=Document.text == "no")
                together.delete(Document.get("a"))
        # PynamoDB sends the checks first, then deletes, puts and updates.
        reasons = refused.exception.cancellation_reasons
        self.assertEqual(
            [reason and reason.code for reason in reasons], ["ConditionalCheckFailed", None, None]
        )
        self.assertEqual(Thread.get("rust", "lifetimes").views, 1)

    def test_what_has_expired_goes(self):
        # PynamoDB switched it on when it made the table, having seen the TTLAttribute.
        Thread("rust", "old", until=timedelta(minutes=-1)).save()
        Thread("rust", "new", until=timedelta(hours=1)).save()
        eventually(
            lambda: [each.subject for each in Thread.query("rust")] == ["new"]
        )
