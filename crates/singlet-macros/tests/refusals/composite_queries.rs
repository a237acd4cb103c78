//! Queries of an index with several key attributes that the index does not serve.

use singlet::prelude::*;

id!(Tenant, Region, State, Id);

#[table(
    name = "issues",
    key = (PK),
    index(byState = ((tenant, region), (state, priority: N))),
    entities(Issue)
)]
struct Issues;

#[derive(Entity)]
#[entity(Issues, key = ("ISSUE#{id}"), byState by_state = ((tenant, region), (state, priority)))]
struct Issue {
    id: Id,
    tenant: Tenant,
    region: Region,
    state: State,
    priority: u32,
}

fn queries(tenant: &Tenant, region: &Region, state: &State) {
    let _ = Issue::by_state(tenant);
    let _ = Issue::by_state(tenant, region).with(3);
    let _ = Issue::by_state(tenant, region).from(state).with(3);
    let _ = Issue::by_state(tenant, region).with(state).with(3).with(4);
    let _ = Issue::by_state(tenant, region).consistent();
}

fn main() {}
