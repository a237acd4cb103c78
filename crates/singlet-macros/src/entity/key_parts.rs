//! Types of the fields in each key, used by queries over several entities.

use super::{Entity, KeyTemplates};
use crate::field::Field;
use crate::template::Template;
use proc_macro2::TokenStream;
use quote::quote;

pub(super) fn expand(entity: &Entity) -> TokenStream {
    let ident = &entity.ident;
    let primary = std::iter::once((quote!({ ::singlet::query::PRIMARY }), &entity.key));
    let indexes = entity.indexes.iter().enumerate().map(|(place, key)| (quote!(#place), key));
    let keys = primary.chain(indexes).map(|(place, key)| {
        let (partition, sort) = (types(entity, &key.partition), sort(entity, key));
        quote! {
            impl ::singlet::query::KeyParts<#place> for #ident {
                type Partition = #partition;
                type Sort = #sort;
            }
        }
    });
    quote!(#(#keys)*)
}

/// The types of the fields in templates, as a tuple.
fn types(entity: &Entity, templates: &[Template]) -> TokenStream {
    let parts = templates.iter().flat_map(Template::parts);
    let types = parts.filter_map(|part| entity.fields.get(part.place)).map(Field::value_type);
    quote!((#(#types,)*))
}

/// The types of the sort key's fields, with a marker if a literal follows them.
pub(super) fn sort(entity: &Entity, key: &KeyTemplates) -> TokenStream {
    let parts = types(entity, &key.sort);
    match key.sort.as_slice() {
        [_, _, ..] => quote!(::singlet::query::Each<#parts>),
        [only] if only.has_tail() && only.parts().next().is_some() => {
            let parts = only.parts().filter_map(|part| entity.fields.get(part.place));
            let types = parts.map(Field::value_type);
            quote!((#(#types,)* ::singlet::query::Tail,))
        }
        _ => parts,
    }
}
