//! A key of several attributes that names a field which there is not.

use singlet::prelude::*;

id!(Tenant, Region, State);

#[table(name = "issues", key = (PK), index(byState = ((tenant, region), state)), entities(Issue))]
struct Issues;

#[derive(Entity)]
#[entity(Issues, key = ("ISSUE#{tenant}"), byState by_state = ((tenant, region), status))]
struct Issue {
    tenant: Tenant,
    region: Region,
    state: State,
}

fn main() {}
