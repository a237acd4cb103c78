//! Conditions and updates, from text to result.
//!
//! No peer does the same: compare the figures before and after a change, and with the cost of
//! decoding the item.

use super::sample;
use crate::contest::Contest;
use singlet_dynamo::Value;
use singlet_dynamo::binary::{self, ItemRef};
use singlet_dynamo::expression::{Condition, Parameter, Placeholders, Update};
use singlet_dynamo::operation::{PutItem, UpdateItem};
use std::hint::black_box;

/// A player may move while the game goes on.
const CONDITION: &str = "attribute_exists(PK) AND #position < :last AND settings.volume >= :zero AND NOT contains(badges, :winner)";
/// The move.
const UPDATE: &str = "SET #position = #position + :dice, settings.sound = :on REMOVE GSI1PK";

pub(super) fn contests() -> Vec<Contest> {
    let stored = binary::encode(&sample::small());
    let put = put_item();
    let update_item = update_item();
    let parsed = condition();
    let parsed_update = update();
    let (stored_too, stored_again) = (stored.clone(), stored.clone());
    vec![
        Contest::new("condition: parsing").over(CONDITION.len()).contender("singlet", condition),
        Contest::new("condition: evaluating on an item of 400 bytes")
            .contender("singlet", move || {
                black_box(&parsed).matches(Some(ItemRef::trusted(black_box(&stored))))
            }),
        Contest::new("condition: parsing and evaluating").contender("singlet", move || {
            condition().matches(Some(ItemRef::trusted(black_box(&stored_too))))
        }),
        Contest::new("update: parsing").over(UPDATE.len()).contender("singlet", update),
        Contest::new("update: applying to an item of 400 bytes").contender("singlet", move || {
            black_box(&parsed_update)
                .apply(Some(ItemRef::trusted(black_box(&stored_again))), &Default::default())
        }),
        Contest::new("PutItem of 400 bytes with a condition: body to request")
            .over(put.len())
            .contender("singlet", move || PutItem::from_json(black_box(&put))),
        Contest::new("UpdateItem with a condition: body to request")
            .over(update_item.len())
            .contender("singlet", move || UpdateItem::from_json(black_box(&update_item))),
    ]
}

fn placeholders() -> Placeholders {
    Placeholders::of(
        &[("#position", "position")],
        [
            (":last", Value::from(100)),
            (":zero", Value::from(0)),
            (":winner", Value::from("winner")),
            (":dice", Value::from(6)),
            (":on", Value::from(true)),
        ],
    )
}

fn condition() -> Condition {
    Condition::parse(black_box(CONDITION), Parameter::ConditionExpression, &mut placeholders())
        .expect("the sample is a condition")
}

fn update() -> Update {
    Update::parse(black_box(UPDATE), Parameter::UpdateExpression, &mut placeholders())
        .expect("the sample is an update")
}

fn put_item() -> Vec<u8> {
    let item = String::from_utf8(sample::small().to_json()).expect("JSON is text");
    let body = format!(
        r##"{{"TableName":"games","Item":{item},"ConditionExpression":"attribute_not_exists(PK) OR #position < :last","ExpressionAttributeNames":{{"#position":"position"}},"ExpressionAttributeValues":{{":last":{{"N":"100"}}}}}}"##
    );
    PutItem::from_json(body.as_bytes()).expect("the sample is a request");
    body.into_bytes()
}

fn update_item() -> Vec<u8> {
    let body = format!(
        r##"{{"TableName":"games","Key":{{"PK":{{"S":"GAME#K7Q2MX"}},"SK":{{"S":"PLAYER#1"}}}},"UpdateExpression":"{UPDATE}","ConditionExpression":"{CONDITION}","ExpressionAttributeNames":{{"#position":"position"}},"ExpressionAttributeValues":{{":last":{{"N":"100"}},":zero":{{"N":"0"}},":winner":{{"S":"winner"}},":dice":{{"N":"6"}},":on":{{"BOOL":true}}}}}}"##
    );
    UpdateItem::from_json(body.as_bytes()).expect("the sample is a request");
    body.into_bytes()
}
