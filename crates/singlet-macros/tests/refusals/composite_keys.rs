//! Keys of several attributes that DynamoDB does not take, or that are not fields.

use singlet::prelude::*;

id!(Tenant, Region, State);

#[table(name = "issues", key = ((tenant, region)), entities())]
struct SeveralInTheTable;

#[table(name = "issues", key = (PK, SK), index(local byState = (PK, (state, priority: N))), entities())]
struct SeveralInALocalIndex;

#[table(name = "issues", key = (PK), index(byAll = ((a, b, c, d, e))), entities())]
struct FivePartitionAttributes;

#[table(name = "issues", key = (PK), index(byAll = (a, (b, c, d, e, f))), entities())]
struct FiveSortAttributes;

#[table(name = "issues", key = (PK), index(byAll = ((a, b), (c, a))), entities())]
struct OneTwice;

#[table(
    name = "issues",
    key = (PK),
    index(byState = ((tenant, region), (state, priority: N))),
    entities(Short, Templated, Inside, Mistyped, Unlike, Conditional)
)]
struct Issues;

#[derive(Entity)]
#[entity(Issues, key = ("SHORT#{tenant}"), byState by_state = ((tenant, region), state))]
struct Short {
    tenant: Tenant,
    region: Region,
    state: State,
}

#[derive(Entity)]
#[entity(
    Issues,
    key = ("TEMPLATED#{id}"),
    byState by_state = (("TENANT#{id}", region), (state, priority))
)]
struct Templated {
    id: Tenant,
    region: Region,
    state: State,
    priority: u32,
}

#[derive(Entity)]
#[entity(Issues, key = ("INSIDE#{tenant}"), byState by_state = ((tenant, region), (state, priority)))]
struct Inside {
    #[attribute(in_key)]
    tenant: Tenant,
    region: Region,
    state: State,
    priority: u32,
}

#[derive(Entity)]
#[entity(Issues, key = ("MISTYPED#{tenant}"), byState by_state = ((tenant, region), (state, priority)))]
struct Mistyped {
    tenant: Tenant,
    region: Region,
    state: State,
    priority: State,
}

#[derive(Entity)]
#[entity(Issues, key = ("UNLIKE#{tenant}"), byState by_state = ((tenant, area), (state, priority)))]
struct Unlike {
    tenant: Tenant,
    area: Region,
    state: State,
    priority: u32,
}

#[derive(Entity)]
#[entity(
    Issues,
    key = ("CONDITIONAL#{tenant}"),
    byState by_state = ((tenant, region), (state, priority)) when open = true
)]
struct Conditional {
    tenant: Tenant,
    region: Region,
    state: State,
    priority: u32,
    open: bool,
}

fn main() {}
