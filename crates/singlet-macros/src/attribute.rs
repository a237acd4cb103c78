//! `#[derive(Attribute)]`: structs become maps, newtypes their inner value, enums text or tagged
//! maps.

mod generics;
mod members;
mod newtype;
mod options;
mod record;
mod tagged;
mod text;

use crate::case::Case;
use options::TypeOptions;
use proc_macro2::TokenStream;
use syn::ext::IdentExt as _;
use syn::{Data, DataEnum, DeriveInput, Fields, Ident};

pub(crate) fn expand(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    generics::refuse_lifetimes(&input.generics)?;
    let options = TypeOptions::of(&input)?;
    match &input.data {
        Data::Struct(data) => {
            options.refuse_enum_options()?;
            match &data.fields {
                Fields::Named(_) => record::expand(&input, &data.fields, options.rename_all),
                Fields::Unnamed(fields) => newtype::expand(&input, fields, &options),
                Fields::Unit => Err(syn::Error::new(
                    input.ident.span(),
                    "a struct without fields holds nothing that could be stored",
                )),
            }
        }
        Data::Enum(data) if data.variants.is_empty() => {
            Err(syn::Error::new(input.ident.span(), "an enum without variants has no values"))
        }
        Data::Enum(data) if is_text(data, &options) => text::expand(&input, data, &options),
        Data::Enum(data) => tagged::expand(&input, data, &options),
        Data::Union(_) => {
            Err(syn::Error::new(input.ident.span(), "a union cannot be stored as an attribute"))
        }
    }
}

/// Whether an enum is stored as text: just the name of the variant.
fn is_text(data: &DataEnum, options: &TypeOptions) -> bool {
    let holds_nothing = |variant: &syn::Variant| matches!(variant.fields, Fields::Unit);
    options.tag.is_none() && options.content.is_none() && data.variants.iter().all(holds_nothing)
}

/// The stored name of a variant.
fn variant_name(ident: &Ident, rename: Option<&syn::LitStr>, case: Option<Case>) -> String {
    let name = ident.unraw().to_string();
    match (rename, case) {
        (Some(name), _) => name.value(),
        (None, Some(case)) => case.apply(&name),
        (None, None) => name,
    }
}

/// Rejects variants with the same stored name.
fn refuse_equal_names(variants: &[(&Ident, &str)]) -> syn::Result<()> {
    for (place, (ident, name)) in variants.iter().enumerate() {
        let earlier = variants.iter().take(place).find(|(_, earlier)| earlier == name);
        if let Some((earlier, _)) = earlier {
            let message =
                format!("the variants `{earlier}` and `{ident}` are both stored as `{name}`");
            return Err(syn::Error::new(ident.span(), message));
        }
    }
    Ok(())
}

/// The expected names, for error messages.
fn expected<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    format!("one of {}", names.join(", "))
}
