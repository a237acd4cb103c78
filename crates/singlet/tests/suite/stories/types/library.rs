//! Types from other libraries.

use crate::stored::stored_item;
use crate::{Fixture, TestResult};
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use singlet::dynamo::Value;
use singlet::prelude::{Db, Entity, create, delete, table, update};
use std::collections::BTreeMap;
use time::OffsetDateTime;
use uuid::Uuid;

#[table(
    name = "{env}-library-types",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK), byPrice = (day, price: N)),
    entities(Order)
)]
pub struct Shop;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Shop,
    key of_customer = ("CUSTOMER#{customer}", "{placed_at}#{id}"),
    GSI1 by_day = ("DAY#{day}", "{packed_at}#{sent_at}"),
    byPrice by_price = ("{day}", "{price}")
)]
pub struct Order {
    #[attribute(in_key)]
    pub customer: Uuid,
    #[attribute(in_key)]
    pub placed_at: DateTime<Utc>,
    pub id: Uuid,
    pub day: NaiveDate,
    pub packed_at: OffsetDateTime,
    pub sent_at: jiff::Timestamp,
    pub due: jiff::civil::Date,
    pub delivered: Option<time::Date>,
    pub price: Decimal,
    pub label: Bytes,
    pub parts: BTreeMap<Uuid, Decimal>,
}

fn order(place: u32) -> Order {
    let nanos = place * 7;
    Order {
        customer: Uuid::from_u128(1),
        placed_at: DateTime::from_timestamp(1_769_851_800, nanos).unwrap(),
        id: Uuid::from_u128(u128::MAX - u128::from(place)),
        day: NaiveDate::from_ymd_opt(2026, 1, 31).unwrap(),
        packed_at: OffsetDateTime::from_unix_timestamp(1_769_860_000 + i64::from(place)).unwrap(),
        sent_at: jiff::Timestamp::from_second(1_769_870_000).unwrap(),
        due: jiff::civil::Date::new(2026, 2, 3).unwrap(),
        delivered: None,
        price: Decimal::new(1999 + i64::from(place), 2),
        label: Bytes::from_static(&[1, 2]),
        parts: BTreeMap::from([(Uuid::from_u128(9), Decimal::new(5, 1))]),
    }
}

pub(super) async fn types_in_keys_and_attributes(fixture: &Fixture) -> TestResult {
    let db: Db<Shop> = fixture.open();
    db.provision().await?;
    let orders: Vec<Order> = (0..3).map(order).collect();
    for one in &orders {
        db.run(create(one)).await?;
    }
    let first = &orders[0];
    let item = stored_item(
        &db,
        db.table_name::<Shop>(),
        "CUSTOMER#00000000-0000-0000-0000-000000000001",
        "2026-01-31T09:30:00.000000000Z#ffffffff-ffff-ffff-ffff-ffffffffffff",
    )
    .await?;
    assert_eq!(item.get("GSI1PK"), Some(&Value::from("DAY#2026-01-31")));
    let sort = "2026-01-31T11:46:40.000000000Z#2026-01-31T14:33:20.000000000Z";
    assert_eq!(item.get("GSI1SK"), Some(&Value::from(sort)));
    assert_eq!(item.get("price"), Some(&Value::N("19.99".parse()?)));
    assert_eq!(item.get("label"), Some(&Value::B(vec![1, 2])));

    // Timestamps have a fixed width, so a range on one works even if other parts follow.
    let of_customer = || Order::of_customer(first.customer);
    assert_eq!(db.query(of_customer()).all().await?, orders);
    let later = of_customer().after(first.placed_at);
    assert_eq!(db.query(later).all().await?, orders[1..]);
    let packed = Order::by_day(first.day).until(orders[1].packed_at);
    assert_eq!(db.query(packed).all().await?, orders[..2]);
    let cheap = Order::by_price(first.day).before(Decimal::new(20, 0));
    assert_eq!(db.query(cheap).all().await?, orders[..1]);

    let day = time::Date::from_calendar_date(2026, time::Month::February, 2)?;
    let part = Uuid::from_u128(9);
    db.run(
        update(Order::key(first.customer, first.placed_at, first.id))
            .set(Order::DELIVERED, day)
            .set(Order::PARTS.entry(part), Decimal::ONE)
            .only_if(Order::DUE.ge(first.due).and(Order::PARTS.entry(part).lt(Decimal::ONE))),
    )
    .await?;
    let key = Order::key(first.customer, first.placed_at, first.id);
    let changed = db.get(key.consistent()).await?.ok_or("gone")?;
    assert_eq!((changed.delivered, changed.parts.get(&part)), (Some(day), Some(&Decimal::ONE)));
    for one in orders {
        db.run(delete(Order::key(one.customer, one.placed_at, one.id))).await?;
    }
    Ok(())
}
