//! The types of the fields in each key, by which queries of several entities are made.

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
        let (partition, sort) = (types(entity, Some(&key.partition)), sort(entity, key));
        quote! {
            impl ::singlet::query::KeyParts<#place> for #ident {
                type Partition = #partition;
                type Sort = #sort;
            }
        }
    });
    quote!(#(#keys)*)
}

/// The types of the fields in a template, as a tuple.
fn types(entity: &Entity, template: Option<&Template>) -> TokenStream {
    let parts = template.into_iter().flat_map(Template::parts);
    let types = parts.filter_map(|part| entity.fields.get(part.place)).map(Field::value_type);
    quote!((#(#types,)*))
}

/// The types of the fields in the sort key, and something that stands for text behind them.
pub(super) fn sort(entity: &Entity, key: &KeyTemplates) -> TokenStream {
    let sort = key.sort.as_ref();
    if !sort.is_some_and(|sort| sort.has_tail() && sort.parts().next().is_some()) {
        return types(entity, sort);
    }
    let parts = sort.into_iter().flat_map(Template::parts);
    let types = parts.filter_map(|part| entity.fields.get(part.place)).map(Field::value_type);
    quote!((#(#types,)* ::singlet::query::Tail,))
}
