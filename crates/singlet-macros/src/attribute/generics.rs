//! Bounds of type parameters.

use crate::field::Field;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Generics, Ident, parse_quote};

/// Rejects lifetimes: values read from an item are owned.
pub(super) fn refuse_lifetimes(generics: &Generics) -> syn::Result<()> {
    match generics.lifetimes().next() {
        Some(lifetime) => Err(syn::Error::new_spanned(
            lifetime,
            "an attribute owns what it holds, since it is read from items that are gone then: use owned types, such as `String`",
        )),
        None => Ok(()),
    }
}

/// The parameters with added bounds: `Attribute` for types used in fields, serde's traits for types
/// used in fields `with = serde`.
pub(super) fn bounded<'f>(
    generics: &Generics,
    fields: impl IntoIterator<Item = &'f Field>,
) -> Generics {
    let mut bounded = generics.clone();
    if generics.type_params().next().is_none() {
        return bounded;
    }
    let (mut plain, mut by_serde) = (Vec::new(), Vec::new());
    for field in fields {
        let named = if field.options.with_serde.is_some() { &mut by_serde } else { &mut plain };
        collect_idents(field.ty.to_token_stream(), named);
    }
    for parameter in bounded.type_params_mut() {
        if plain.contains(&parameter.ident) {
            parameter.bounds.push(parse_quote!(::singlet::Attribute));
        }
        if by_serde.contains(&parameter.ident) {
            parameter.bounds.push(parse_quote!(::singlet::serde::Serialize));
            parameter.bounds.push(parse_quote!(::singlet::serde::de::DeserializeOwned));
        }
    }
    bounded
}

fn collect_idents(tokens: TokenStream, idents: &mut Vec<Ident>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => idents.push(ident),
            TokenTree::Group(group) => collect_idents(group.stream(), idents),
            _ => {}
        }
    }
}
