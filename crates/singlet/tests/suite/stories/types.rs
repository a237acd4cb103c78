//! User-defined types, types from other libraries, and serde types in one entity.

#![allow(
    unreachable_pub,
    missing_docs,
    dead_code,
    reason = "declared as a program declares its design"
)]

use super::id;
use crate::stored::stored_item;
use crate::{Fixture, TestResult};
use serde::{Deserialize, Serialize};
use singlet::dynamo::operation::PutItem;
use singlet::dynamo::{Map, Value};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};
use std::collections::{BTreeMap, HashMap};

on_every_backend! {
    everything_in_one_entity,
    they_stand_in_conditions_and_updates,
    enums_and_newtypes_in_keys,
    types_of_other_libraries,
}

id!(DeviceId, TenantId);

#[table(
    name = "{env}-types",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK)),
    entities(Device, Alarm)
)]
pub struct Fleet;

/// A newtype, as a key part and as an attribute.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tenant(pub TenantId);

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Credits(pub u64);

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[attribute(rename_all = "lowercase")]
pub enum Sensor {
    Heat,
    Light,
}

#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum State {
    Off,
    Running { start_level: u32, note: Option<String> },
    Faulty(Fault),
}

#[derive(Attribute, Clone, Debug, PartialEq)]
pub struct Fault {
    pub code: u32,
}

#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(content = "value")]
pub enum Setting {
    Unset,
    Level(u32),
}

#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(externally_tagged)]
pub enum Command {
    Stop,
    Go(u32),
}

#[derive(Attribute, Clone, Debug, PartialEq)]
pub struct Recent<T> {
    pub newest: Option<T>,
    pub others: Vec<T>,
}

/// Implements only serde's traits.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Firmware {
    Stock,
    Custom { version: (u8, u8), flags: Vec<bool> },
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Fleet, key = ("TENANT#{tenant}", "DEVICE#{id}"), rename_all = "camelCase")]
pub struct Device {
    pub tenant: Tenant,
    pub id: DeviceId,
    pub credits: Credits,
    pub state: State,
    pub setting: Setting,
    pub command: Option<Command>,
    pub recent: Recent<Credits>,
    pub image: Vec<u8>,
    pub readings: BTreeMap<Sensor, i32>,
    pub slots: Option<HashMap<u16, DeviceId>>,
    #[attribute(with = serde)]
    pub firmware: Firmware,
    #[attribute(with = serde, rename = "label")]
    pub labels: Option<BTreeMap<String, u8>>,
    #[attribute(with = serde, null)]
    pub address: Option<std::net::IpAddr>,
}

/// An enum in a key, before other parts.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fleet,
    key alarms_of = ("ALARMS#{tenant}", "{sensor}#{at}#{id}"),
    GSI1 by_sensor = ("SENSOR#{sensor}", "{at}")
)]
pub struct Alarm {
    #[attribute(in_key)]
    pub tenant: Tenant,
    #[attribute(in_key)]
    pub sensor: Sensor,
    pub at: Timestamp,
    pub id: DeviceId,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(Device)]
pub struct DeviceSoftware {
    pub id: DeviceId,
    #[attribute(with = serde)]
    pub firmware: Firmware,
    #[attribute(with = serde)]
    pub address: Option<std::net::IpAddr>,
}

fn device() -> Device {
    Device {
        tenant: Tenant(id("t1")),
        id: id("d1"),
        credits: Credits(10),
        state: State::Running { start_level: 3, note: None },
        setting: Setting::Level(7),
        command: Some(Command::Go(2)),
        recent: Recent { newest: Some(Credits(1)), others: vec![Credits(2), Credits(3)] },
        image: vec![0, 255],
        readings: BTreeMap::from([(Sensor::Heat, -3), (Sensor::Light, 9)]),
        slots: Some(HashMap::from([(10, id("d2")), (9, id("d3"))])),
        firmware: Firmware::Custom { version: (1, 2), flags: vec![true] },
        labels: None,
        address: None,
    }
}

fn map<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::M(Map::from(members))
}

async fn everything_in_one_entity(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Fleet>();
    db.provision().await?;
    let own = device();
    db.run(create(&own)).await?;
    let key = || Device::key(&own.tenant, &own.id);
    assert_eq!(db.get(key().consistent()).await?, Some(own.clone()));

    let item = stored_item(&db, db.table_name::<Fleet>(), "TENANT#t1", "DEVICE#d1").await?;
    let text = |text: &str| Value::from(text);
    for (name, expected) in [
        ("tenant", text("t1")),
        ("credits", Value::from(10)),
        ("state", map([("type", text("running")), ("startLevel", Value::from(3))])),
        ("setting", map([("type", text("Level")), ("value", Value::from(7))])),
        ("command", map([("Go", Value::from(2))])),
        ("image", Value::B(vec![0, 255])),
        ("readings", map([("heat", Value::from(-3)), ("light", Value::from(9))])),
        ("slots", map([("10", text("d2")), ("9", text("d3"))])),
        (
            "firmware",
            map([
                ("kind", text("custom")),
                ("version", Value::L(vec![Value::from(1), Value::from(2)])),
                ("flags", Value::L(vec![Value::from(true)])),
            ]),
        ),
        ("address", Value::Null),
    ] {
        assert_eq!(item.get(name), Some(&expected), "{name}");
    }
    assert_eq!(item.get("label"), None);

    let software = db.get(key().consistent().project::<DeviceSoftware>()).await?;
    let expected =
        DeviceSoftware { id: own.id.clone(), firmware: own.firmware.clone(), address: None };
    assert_eq!(software, Some(expected));
    db.run(delete(key())).await?;
    Ok(())
}

async fn they_stand_in_conditions_and_updates(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Fleet>();
    db.provision().await?;
    let own = device();
    db.run(create(&own)).await?;
    let key = || Device::key(&own.tenant, &own.id);
    let labels = BTreeMap::from([("rack".to_owned(), 7)]);
    let address: std::net::IpAddr = "10.0.0.1".parse()?;
    let third: DeviceId = id("d3");
    db.run(
        update(key())
            .add(Device::CREDITS, 5)
            .set(Device::STATE, State::Faulty(Fault { code: 9 }))
            .set(Device::SETTING, &Setting::Unset)
            .set(Device::COMMAND, Command::Stop)
            .add(Device::READINGS.entry(Sensor::Heat), 1)
            .set(Device::SLOTS.entry(11), &third)
            .set(Device::IMAGE, vec![7])
            .set(Device::FIRMWARE, Firmware::Stock)
            .set(Device::LABELS, &labels)
            .set(Device::ADDRESS, Some(address))
            .only_if(
                Device::CREDITS
                    .between(Credits(1), Credits(10))
                    .and(Device::STATE.member(State::TAG).eq("running"))
                    .and(Device::SETTING.eq(Setting::Level(7)))
                    .and(Device::READINGS.entry(Sensor::Light).gt(8))
                    .and(Device::SLOTS.entry(9).eq(&third))
                    .and(Device::RECENT.member(Recent::<Credits>::NEWEST).eq(Credits(1)))
                    .and(Device::IMAGE.eq(vec![0, 255]))
                    .and(Device::FIRMWARE.eq(&own.firmware))
                    .and(Device::LABELS.missing())
                    .and(Device::ADDRESS.missing()),
            ),
    )
    .await?;
    let changed = db.get(key().consistent()).await?.ok_or("gone")?;
    let expected = Device {
        credits: Credits(15),
        state: State::Faulty(Fault { code: 9 }),
        setting: Setting::Unset,
        command: Some(Command::Stop),
        image: vec![7],
        readings: BTreeMap::from([(Sensor::Heat, -2), (Sensor::Light, 9)]),
        slots: Some(HashMap::from([(10, id("d2")), (9, id("d3")), (11, id("d3"))])),
        firmware: Firmware::Stock,
        labels: Some(labels),
        address: Some(address),
        ..own.clone()
    };
    assert_eq!(changed, expected);
    db.run(update(key()).remove(Device::LABELS).remove(Device::ADDRESS)).await?;
    let changed = db.get(key().consistent()).await?.ok_or("gone")?;
    assert_eq!((changed.labels, changed.address), (None, None));

    // The error for an invalid stored value contains its path.
    let item = stored_item(&db, db.table_name::<Fleet>(), "TENANT#t1", "DEVICE#d1").await?;
    for (name, wrong, told) in [
        (
            "state",
            map([("type", Value::from("broken"))]),
            "`state.type`: expected one of `off`, `running`, `faulty`, found `broken`",
        ),
        (
            "firmware",
            Value::from(1),
            "`firmware`: expected internally tagged enum Firmware, found integer `1`",
        ),
        (
            "slots",
            map([("x", Value::from("d2"))]),
            "`slots`: expected a number that fits u16, found the key `x`",
        ),
    ] {
        let mut other = item.clone();
        other.insert(name, wrong);
        db.execute(PutItem::new(db.table_name::<Fleet>(), other)).await?;
        let outcome = db.get(key().consistent()).await;
        let error = outcome.map(drop).map_err(|error| error.to_string());
        let told = format!(
            "a stored Device has a wrong attribute {told}; its key is PK = `TENANT#t1`, SK = `DEVICE#d1`"
        );
        assert_eq!(error, Err(told));
    }
    db.run(delete(key())).await?;
    Ok(())
}

async fn enums_and_newtypes_in_keys(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Fleet>();
    db.provision().await?;
    let tenant = Tenant(id("t2"));
    let alarm = |sensor, seconds: i64, device: &str| Alarm {
        tenant: tenant.clone(),
        sensor,
        at: Timestamp::from_millis(seconds * 1000),
        id: id(device),
    };
    let all =
        [alarm(Sensor::Heat, 10, "a"), alarm(Sensor::Heat, 20, "b"), alarm(Sensor::Light, 15, "c")];
    for one in &all {
        db.run(create(one)).await?;
    }
    let heat = db.query(Alarm::alarms_of(&tenant).with(Sensor::Heat)).all().await?;
    assert_eq!(heat, all[..2]);
    let late = Timestamp::from_millis(15_000);
    let later = db.query(Alarm::alarms_of(&tenant).with(Sensor::Heat).from(late)).all().await?;
    assert_eq!(later, all[1..2]);
    assert_eq!(db.query(Alarm::by_sensor(Sensor::Light)).all().await?, all[2..]);
    for one in &all {
        db.run(delete(Key::of(one))).await?;
    }
    Ok(())
}

/// Types from other libraries, behind their features.
async fn types_of_other_libraries(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    #[cfg(all(
        feature = "bytes",
        feature = "chrono",
        feature = "jiff",
        feature = "rust_decimal",
        feature = "time",
        feature = "uuid"
    ))]
    library::types_in_keys_and_attributes(fixture).await?;
    let _ = fixture;
    Ok(())
}

#[cfg(all(
    feature = "bytes",
    feature = "chrono",
    feature = "jiff",
    feature = "rust_decimal",
    feature = "time",
    feature = "uuid"
))]
mod library;
