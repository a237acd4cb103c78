//! Operations 23 to 26: devices.

use crate::fixture::{other_service, service, token, user_id};
use cricket::design::{Device, Environment, Platform};
use cricket::service::NewDevice;
use singlet::prelude::*;
use singlet_testing::{TestStore, at_once, on_every_backend};

on_every_backend! {
    op_23_an_expired_device_is_passed_over,
    op_24_the_last_device_replaces_the_others,
    op_25_the_start_token_is_set_on_a_registered_device,
    op_26_a_device_is_deleted,
    op_26_a_dead_token_is_removed_unless_the_app_was_launched_since,
    of_devices_that_are_registered_at_once_one_is_left,
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn new(text: &str) -> NewDevice {
    NewDevice {
        device_token: token(text),
        platform: Platform::Ios,
        environment: Environment::Production,
        app_version: Some("1.2".into()),
    }
}

async fn op_23_an_expired_device_is_passed_over(store: TestStore) {
    let service = service(&store).await;
    let (asha, now) = (user_id("asha"), service.db.now());
    assert_eq!(service.devices.of_user(&asha).await.unwrap(), None);
    let device = |text: &str, expires_at: Timestamp| Device {
        user_id: user_id("asha"),
        device_token: token(text),
        platform: Platform::Ios,
        environment: Environment::Sandbox,
        app_version: None,
        created_at: now,
        last_seen_at: now,
        push_to_start_token: None,
        expires_at: Expiry::at(expires_at),
    };
    let second = crate::fixture::MINUTE;
    service.db.run(put(&device("a-first", now.before(second)))).await.unwrap();
    service.db.run(put(&device("b-second", now.after(second)))).await.unwrap();
    let found = service.devices.of_user(&asha).await.unwrap().unwrap();
    assert_eq!(found.device_token, token("b-second"));
}

async fn op_24_the_last_device_replaces_the_others(store: TestStore) {
    let service = service(&store).await;
    let (asha, now) = (user_id("asha"), service.db.now());
    let phone = service.devices.register(&asha, &new("phone")).await.unwrap();
    assert_eq!((phone.created_at, phone.last_seen_at), (now, now));
    assert_eq!(phone.expires_at, Expiry::at(now.after(Device::KEPT)));
    service.devices.set_push_to_start(&asha, &token("phone"), &token("start")).await.unwrap();
    store.clock.advance(DAY_MS);
    // The same token keeps its start token and when it was created.
    let again = NewDevice { app_version: None, ..new("phone") };
    let again = service.devices.register(&asha, &again).await.unwrap();
    assert_eq!(again.push_to_start_token, Some(token("start")));
    assert_eq!((again.created_at, again.app_version), (now, None));
    assert_eq!(again.last_seen_at, now.after(std::time::Duration::from_millis(DAY_MS as u64)));
    service.devices.register(&asha, &new("tablet")).await.unwrap();
    service.devices.register(&user_id("ben"), &new("bens")).await.unwrap();
    let all = service.db.scan(Scan::<Device>::table()).all().await.unwrap();
    let mut tokens: Vec<String> = all.iter().map(|one| one.device_token.to_string()).collect();
    tokens.sort();
    assert_eq!(tokens, ["bens", "tablet"]);
}

async fn op_25_the_start_token_is_set_on_a_registered_device(store: TestStore) {
    let service = service(&store).await;
    let asha = user_id("asha");
    let set = async |device: &str| {
        service.devices.set_push_to_start(&asha, &token(device), &token("start")).await.unwrap()
    };
    assert!(!set("phone").await);
    service.devices.register(&asha, &new("phone")).await.unwrap();
    store.clock.advance(1_000);
    assert!(set("phone").await);
    assert!(!set("tablet").await);
    let phone = service.devices.of_user(&asha).await.unwrap().unwrap();
    assert_eq!(phone.push_to_start_token, Some(token("start")));
    assert_eq!(phone.last_seen_at, service.db.now());
    // A dead one is taken out, unless another one has replaced it.
    let remove = async |start: &str| {
        let (device, start) = (token("phone"), token(start));
        service.devices.remove_push_to_start(&asha, &device, &start).await.unwrap()
    };
    assert!(!remove("older").await);
    assert!(remove("start").await);
    let phone = service.devices.of_user(&asha).await.unwrap().unwrap();
    assert_eq!(phone.push_to_start_token, None);
}

async fn op_26_a_device_is_deleted(store: TestStore) {
    let service = service(&store).await;
    let asha = user_id("asha");
    let phone = service.devices.register(&asha, &new("phone")).await.unwrap();
    assert_eq!(service.devices.delete(&asha, &token("other")).await.unwrap(), None);
    assert_eq!(service.devices.delete(&asha, &token("phone")).await.unwrap(), Some(phone));
    assert_eq!(service.devices.of_user(&asha).await.unwrap(), None);
}

async fn op_26_a_dead_token_is_removed_unless_the_app_was_launched_since(store: TestStore) {
    let service = service(&store).await;
    let asha = user_id("asha");
    let seen = service.devices.register(&asha, &new("phone")).await.unwrap().last_seen_at;
    let delete = async |since: Timestamp| {
        let phone = token("phone");
        service.devices.delete_unless_seen_since(&asha, &phone, since).await.unwrap()
    };
    assert!(!delete(seen.before(crate::fixture::MINUTE)).await);
    assert!(service.devices.of_user(&asha).await.unwrap().is_some());
    assert!(delete(seen.after(crate::fixture::MINUTE)).await);
    assert_eq!(service.devices.of_user(&asha).await.unwrap(), None);
    assert!(!delete(seen.after(crate::fixture::MINUTE)).await);
}

async fn of_devices_that_are_registered_at_once_one_is_left(store: TestStore) {
    let services = [service(&store).await, other_service(&store)];
    at_once(12, |n| {
        let service = services[n % 2].clone();
        async move {
            let phone = new(&format!("phone-{n:02}"));
            service.register_device(&user_id("asha"), &phone).await.unwrap();
        }
    })
    .await;
    let all = services[0].db.scan(Scan::<Device>::table()).all().await.unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
}
