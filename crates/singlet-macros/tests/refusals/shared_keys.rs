//! Entities that share a key, and do not say enough of it.

use singlet::prelude::*;

id!(Name);

#[table(name = "accounts", key = (PK), entities(User, Organization))]
struct OnlyOneSays;

#[derive(Entity)]
#[entity(OnlyOneSays, key = ("ACCOUNT#{name}"), discriminator = "kind", shares_key_with(Organization))]
struct User {
    name: Name,
}

#[derive(Entity)]
#[entity(OnlyOneSays, key = ("ACCOUNT#{name}"), discriminator = "kind")]
struct Organization {
    name: Name,
}

#[table(name = "accounts", key = (PK), entities(Person, Company))]
struct NotToldApart;

#[derive(Entity)]
#[entity(NotToldApart, key = ("ACCOUNT#{name}"), shares_key_with(Company))]
struct Person {
    name: Name,
}

#[derive(Entity)]
#[entity(NotToldApart, key = ("ACCOUNT#{name}"), shares_key_with(Person))]
struct Company {
    name: Name,
}

#[table(name = "accounts", key = (PK), entities(Cat, Dog))]
struct NeverTheSame;

#[derive(Entity)]
#[entity(NeverTheSame, key = ("CAT#{name}"), discriminator = "kind", shares_key_with(Dog))]
struct Cat {
    name: Name,
}

#[derive(Entity)]
#[entity(NeverTheSame, key = ("DOG#{name}"), discriminator = "kind", shares_key_with(Cat))]
struct Dog {
    name: Name,
}

fn main() {}
