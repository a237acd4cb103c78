//! Table descriptions survive storage, and shard iterators survive the round trip to clients.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use singlet_dynamo::arn::{Home, StreamArn, stream};
use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::schema::{
    Index, IndexProjection, KeyAttribute, KeyLimits, KeyRole, KeySchema, KeyType, Scope,
};
use singlet_dynamo::stream::{SequenceNumber, ShardIterator, shard_id};
use singlet_dynamo::table::{
    IndexDescription, OnDemandThroughput, StreamViewType, TableClass, TableDescription,
    TableStatus, Throughput, ThroughputDescription, WarmThroughput,
};
use singlet_dynamo::{Timestamp, Value};
use singlet_testing::strategy::item;

fn moment() -> impl Strategy<Value = Timestamp> {
    (0..4_000_000_000_000_i64).prop_map(Timestamp::from_millis)
}

fn key() -> impl Strategy<Value = KeySchema> {
    let kind = || prop_oneof![Just(KeyType::S), Just(KeyType::N), Just(KeyType::B)];
    let attribute =
        |name: &'static str| (name, kind()).prop_map(|(name, kind)| KeyAttribute::new(name, kind));
    (attribute("[a-m]{1,9}"), option::of(attribute("[n-z]{1,9}")))
        .prop_map(|(partition, sort)| KeySchema::simple(partition, sort))
}

/// A valid index key, with up to four attributes of each role.
fn index_key() -> impl Strategy<Value = KeySchema> {
    let kind = prop_oneof![Just(KeyType::S), Just(KeyType::N), Just(KeyType::B)];
    (vec(kind, 8), 1..=4_usize, 0..=4_usize).prop_map(|(kinds, hashes, ranges)| {
        let roles =
            [KeyRole::Hash].repeat(hashes).into_iter().chain([KeyRole::Range].repeat(ranges));
        let names = ["a", "bb", "c", "d", "e", "f", "g", "h"].into_iter();
        let attributes = names.zip(kinds).map(|(name, kind)| KeyAttribute::new(name, kind));
        KeySchema::new(attributes.zip(roles).collect(), KeyLimits::Composite).unwrap()
    })
}

fn status() -> impl Strategy<Value = TableStatus> {
    prop_oneof![
        Just(TableStatus::Creating),
        Just(TableStatus::Active),
        Just(TableStatus::Updating),
        Just(TableStatus::Deleting),
    ]
}

fn units() -> impl Strategy<Value = i64> {
    1..1_000_000_000_000_i64
}

fn throughput() -> impl Strategy<Value = ThroughputDescription> {
    let on_demand = (option::of(units()), option::of(units())).prop_map(|(read, write)| {
        Throughput::OnDemand(OnDemandThroughput {
            max_read_request_units: read,
            max_write_request_units: write,
        })
    });
    let provisioned =
        (units(), units()).prop_map(|(read, write)| Throughput::provisioned(read, write));
    let warm = (units(), units()).prop_map(|(read, write)| WarmThroughput {
        read_units_per_second: read,
        write_units_per_second: write,
    });
    (
        prop_oneof![on_demand, provisioned],
        0..9_i64,
        option::of(moment()),
        option::of(moment()),
        option::of(warm),
    )
        .prop_map(|(throughput, decreases, increased, decreased, warm)| {
            ThroughputDescription {
                throughput,
                number_of_decreases_today: decreases,
                last_increase_at: increased,
                last_decrease_at: decreased,
                warm,
            }
        })
}

fn index() -> impl Strategy<Value = IndexDescription> {
    let projection = prop_oneof![
        Just(IndexProjection::All),
        Just(IndexProjection::KeysOnly),
        vec("[a-z]{1,3}", 1..4).prop_map(IndexProjection::Include),
    ];
    let scope = prop_oneof![Just(Scope::Local), Just(Scope::Global)];
    let index = ("[a-z]{3,9}", index_key(), projection, scope)
        .prop_map(|(name, key, projection, scope)| Index { name, key, projection, scope });
    (index, status(), option::of(any::<bool>()), throughput(), any::<u32>(), any::<u32>()).prop_map(
        |(index, status, backfilling, throughput, item_count, size_bytes)| IndexDescription {
            index,
            status,
            backfilling,
            throughput,
            item_count: item_count.into(),
            size_bytes: size_bytes.into(),
        },
    )
}

fn table() -> impl Strategy<Value = TableDescription> {
    let view_type = prop_oneof![
        Just(StreamViewType::KeysOnly),
        Just(StreamViewType::NewImage),
        Just(StreamViewType::OldImage),
        Just(StreamViewType::NewAndOldImages),
    ];
    let class = prop_oneof![Just(TableClass::Standard), Just(TableClass::StandardInfrequentAccess)];
    let names = ("[a-zA-Z0-9_.-]{3,9}", "[0-9a-f]{32}", option::of("\\PC{1,9}"));
    let state = (status(), any::<bool>(), any::<u32>(), any::<u32>());
    let moments = (moment(), option::of(moment()), option::of(moment()));
    let looks = (option::of(view_type), option::of((class, option::of(moment()))));
    let tags = btree_map("\\PC{1,9}", "\\PC{0,9}", 0..4);
    (names, state, moments, looks, key(), vec(index(), 0..4), throughput(), tags).prop_map(
        |(names, state, moments, looks, key, indexes, throughput, tags)| {
            let home = Home { region: "eu-west-1".into(), account: "123456789012".into() };
            TableDescription {
                arn: home.table(&names.0),
                name: names.0,
                id: names.1,
                time_to_live: names.2,
                status: state.0,
                deletion_protection: state.1,
                item_count: state.2.into(),
                size_bytes: state.3.into(),
                created_at: moments.0,
                on_demand_since: moments.1,
                latest_stream_at: moments.2,
                stream: looks.0,
                class: looks.1,
                key,
                indexes,
                throughput,
                tags,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_stored_table_comes_back(table in table()) {
        let bytes = binary::encode(&table.to_item());
        let item = ItemRef::new(&bytes).unwrap().to_item();
        prop_assert_eq!(TableDescription::from_item(&item), Some(table));
    }

    /// A table stored by a later version has members unknown to this one.
    #[test]
    fn unknown_members_are_ignored(table in table(), more in "[A-Z]{1,9}") {
        let mut item = table.to_item();
        item.insert(more, Value::from(true));
        prop_assert_eq!(TableDescription::from_item(&item), Some(table));
    }

    #[test]
    fn an_item_that_is_not_a_table_is_refused(item in item()) {
        prop_assert_eq!(TableDescription::from_item(&item), None);
    }

    #[test]
    fn a_table_that_settled_is_settled(table in table(), now in moment()) {
        let mut once = table;
        once.activate(now);
        let mut twice = once.clone();
        twice.activate(now);
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn an_iterator_comes_back(at in moment(), next in any::<u128>(), number in any::<u32>()) {
        let arn = stream("arn:aws:dynamodb:eu-west-1:123456789012:table/games", at);
        let iterator = ShardIterator {
            stream_arn: StreamArn::parse(arn).unwrap(),
            shard_id: shard_id(at, number),
            next: SequenceNumber::new(next),
            issued_at: at,
        };
        prop_assert_eq!(ShardIterator::parse(&iterator.to_string()).unwrap(), iterator);
    }

    #[test]
    fn any_text_is_an_iterator_or_refused(text in "\\PC{0,40}") {
        let _ = ShardIterator::parse(&text);
        let arn = "arn:aws:dynamodb:eu-west-1:1:table/games/stream/1";
        let _ = ShardIterator::parse(&format!("{arn}|1|{text}"));
    }

    /// Clients compare the texts, so texts of the same length must sort like the numbers.
    #[test]
    fn sequence_numbers_sort_as_texts(a in any::<u64>(), b in any::<u64>()) {
        let number = |n: u64| SequenceNumber::new(n.into());
        prop_assert_eq!(number(a).to_string().cmp(&number(b).to_string()), number(a).cmp(&number(b)));
        prop_assert_eq!(number(a).next() > number(a), true);
    }
}
