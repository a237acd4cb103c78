//! The macros of [singlet](https://docs.rs/singlet), which re-exports them and tells what they are
//! for.
//!
//! They read declarations and write down what they say as constants, with as little code as they
//! can: keys, conditions, queries and checks are ordinary code of the library, which reads the
//! constants. What a macro can see by itself it refuses with an error at the place in the
//! declaration; what takes more than one declaration is checked by constant functions of the
//! library, when the compiler evaluates the constants.

mod attribute;
mod case;
mod collection;
mod entity;
#[cfg(test)]
mod expansion;
mod field;
mod projection;
mod table;
mod template;

use proc_macro::TokenStream;

/// Declares a table: its name, keys, indexes, time to live, and the entities that are in it.
#[proc_macro_attribute]
pub fn table(arguments: TokenStream, item: TokenStream) -> TokenStream {
    answer(table::expand(arguments.into(), item.into()))
}

/// Declares an entity: a kind of item of a table.
#[proc_macro_derive(Entity, attributes(entity, attribute))]
pub fn entity(input: TokenStream) -> TokenStream {
    answer(entity::expand(input.into()))
}

/// Makes a struct, or an enum without fields, storable as an attribute.
#[proc_macro_derive(Attribute, attributes(attribute))]
pub fn attribute(input: TokenStream) -> TokenStream {
    answer(attribute::expand(input.into()))
}

/// Declares a collection: several entities of one partition, read by one query.
#[proc_macro_derive(Collection)]
pub fn collection(input: TokenStream) -> TokenStream {
    answer(collection::expand(input.into()))
}

/// Declares a projection: a smaller struct for what is read of an entity.
#[proc_macro_derive(Projection, attributes(projection))]
pub fn projection(input: TokenStream) -> TokenStream {
    answer(projection::expand(input.into()))
}

fn answer(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
