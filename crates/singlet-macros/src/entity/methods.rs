//! Inherent items of an entity: its key, queries, and field constants.

use super::keys::{FieldKind, Kinds};
use super::{Entity, KeyTemplates, key_parts};
use crate::field::Field;
use crate::template::Template;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;
use syn::ext::IdentExt as _;

pub(super) fn expand(entity: &Entity, kinds: &Kinds) -> TokenStream {
    let Entity { ident, fields, .. } = entity;
    let key = key(entity);
    let has_parts = entity.key.sort.iter().any(|sort| sort.parts().next().is_some());
    let primary = has_parts.then(|| query(entity, &entity.key, None));
    let indexes =
        entity.indexes.iter().enumerate().map(|(place, index)| query(entity, index, Some(place)));
    let constants = fields.iter().zip(&kinds.kinds).enumerate().map(|(place, (field, kind))| {
        let (name, ty) = (field.constant(), field.stored_type());
        let group = kinds.groups.iter().find(|group| group.contains(&place));
        let group = group.map(|group| group_name(entity, group));
        let kind = kind.to_type(ident, place, group.as_ref());
        let (about, visibility) = (format!("The field `{}`.", field.name), &entity.visibility);
        quote! {
            #[doc = #about]
            #visibility const #name: ::singlet::Field<Self, #ty, #kind> = ::singlet::Field::new(#place);
        }
    });
    let settable = kinds.groups.iter().filter(|group| is_settable(kinds, group));
    let settable: Vec<&Vec<usize>> = settable.collect();
    let groups = settable.iter().map(|group| group_constant(entity, group));
    let items = quote! {
        #[allow(dead_code)]
        impl #ident {
            #(#constants)*
            #(#groups)*
            #key
            #primary
            #(#indexes)*
        }
    };
    if settable.is_empty() {
        return items;
    }
    // Types that bring the constants' names into the compiler's messages.
    let markers = settable.iter().map(|group| group_name(entity, group));
    quote! {
        const _: () = {
            #(
                #[allow(non_camel_case_types, unreachable_pub, missing_docs)]
                pub enum #markers {}
            )*
            #items
        };
    }
}

/// Rejects constants and functions of the same name.
pub(super) fn check(entity: &Entity, kinds: &Kinds) -> syn::Result<()> {
    check_names(entity)?;
    check_groups(entity, kinds)
}

/// Rejects name collisions between field constants, pattern constants and pattern functions.
fn check_names(entity: &Entity) -> syn::Result<()> {
    for field in &entity.fields {
        if entity.indexes.iter().any(|index| index.pattern == field.ident) {
            return Err(syn::Error::new(
                field.ident.span(),
                format!(
                    "`{}::{}` is the constant of an access pattern already; give the pattern another name",
                    entity.ident,
                    field.constant()
                ),
            ));
        }
    }
    let patterns = entity.indexes.iter().chain([&entity.key]).map(|key| &key.pattern);
    let mut taken: Vec<&Ident> = patterns.collect();
    let key = format_ident!("key");
    taken.push(&key);
    for (place, name) in taken.iter().enumerate() {
        if let Some(twice) = taken.iter().skip(place + 1).find(|other| other == &name) {
            let message = format!(
                "two functions would be called `{twice}`; give the access pattern another name"
            );
            return Err(syn::Error::new(name.span(), message));
        }
    }
    Ok(())
}

/// Rejects a field or access pattern whose constant collides with a group's.
fn check_groups(entity: &Entity, kinds: &Kinds) -> syn::Result<()> {
    for group in kinds.groups.iter().filter(|group| is_settable(kinds, group)) {
        let name = group_name(entity, group);
        let fields = entity.fields.iter().map(|field| (field.ident.span(), field.constant()));
        let patterns =
            entity.indexes.iter().map(|key| (key.pattern.span(), constant_of(&key.pattern)));
        if let Some((span, _)) = fields.chain(patterns).find(|(_, constant)| *constant == name) {
            let message = format!(
                "`{}::{name}` is the constant of the fields that an index key is made of; give this another name",
                entity.ident
            );
            return Err(syn::Error::new(span, message));
        }
    }
    Ok(())
}

/// Whether the group can be set. It cannot if the library manages one of its fields.
fn is_settable(kinds: &Kinds, group: &[usize]) -> bool {
    let mut kinds = group.iter().filter_map(|place| kinds.kinds.get(*place));
    kinds.all(|kind| matches!(kind, FieldKind::SharedIndexKey | FieldKind::OnlyInSharedIndexKey))
}

/// Name of a group's constant.
fn group_name(entity: &Entity, group: &[usize]) -> Ident {
    let fields = group.iter().filter_map(|place| entity.fields.get(*place));
    let names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
    format_ident!("{}", names.join("_and_").to_uppercase())
}

/// Name of an access pattern's constant.
fn constant_of(pattern: &Ident) -> Ident {
    format_ident!("{}", pattern.unraw().to_string().to_uppercase(), span = pattern.span())
}

/// The constant for fields that can only be set together.
fn group_constant(entity: &Entity, group: &[usize]) -> TokenStream {
    let fields: Vec<&Field> = group.iter().filter_map(|place| entity.fields.get(*place)).collect();
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let name = group_name(entity, group);
    let types = fields.iter().map(|field| field.stored_type());
    let about = format!(
        "The fields `{}`, of which an index key is made: set together.",
        names.join("`, `")
    );
    let visibility = &entity.visibility;
    quote! {
        #[doc = #about]
        #visibility const #name: ::singlet::operation::Group<Self, (#(#types,)*)> =
            ::singlet::operation::Group::new(&[#(#group),*]);
    }
}

/// The function arguments for fields, and the values passed on.
fn arguments(entity: &Entity, places: &[usize]) -> (Vec<TokenStream>, Vec<TokenStream>) {
    places
        .iter()
        .filter_map(|place| entity.fields.get(*place).map(|field| (place, field)))
        .map(|(place, field)| {
            let (name, ty) = (&field.ident, field.value_type());
            (
                quote!(#name: impl ::singlet::key::KeyArgument<#ty>),
                quote!((#place, ::singlet::key::KeyArgument::to_part(&#name))),
            )
        })
        .unzip()
}

/// Generates the function `key`.
fn key(entity: &Entity) -> TokenStream {
    let (arguments, given) = arguments(entity, &entity.key.places());
    let texts: Vec<String> =
        entity.key.templates().map(|own| format!("`{}`", own.literal.value())).collect();
    let about = match texts.as_slice() {
        [only] => format!("The key {only}."),
        several => format!("The key ({}).", several.join(", ")),
    };
    let visibility = &entity.visibility;
    quote! {
        #[doc = #about]
        #[allow(clippy::too_many_arguments, reason = "as many as the key has parts")]
        #visibility fn key(#(#arguments),*) -> ::singlet::Key<Self> {
            ::singlet::Key::new(&[#(#given),*])
        }
    }
}

/// Generates the function of an access pattern.
fn query(entity: &Entity, key: &KeyTemplates, place: Option<usize>) -> TokenStream {
    let mut places = Vec::new();
    for part in key.partition.iter().flat_map(Template::parts) {
        if !places.contains(&part.place) {
            places.push(part.place);
        }
    }
    let (arguments, given) = arguments(entity, &places);
    let rest = key_parts::sort(entity, key);
    let (name, visibility) = (&key.pattern, &entity.visibility);
    let templates = key
        .templates()
        .map(|template| format!("`{}`", template.literal.value()))
        .collect::<Vec<_>>()
        .join(", ");
    let (about, source, make) = match (&key.index, place) {
        (Some(index), Some(place)) => (
            format!("Queries the index `{index}`, whose key is {templates}."),
            by_index(entity, index, place),
            quote!(::singlet::Query::index(&[#(#given),*])),
        ),
        _ => (
            format!("Queries a partition of the table, whose key is {templates}."),
            quote!(::singlet::query::Primary),
            quote!(::singlet::Query::partition(&[#(#given),*])),
        ),
    };
    let pattern = place.map(|_| {
        let pattern = constant_of(name);
        quote! {
            #[doc = #about]
            #visibility const #pattern: ::singlet::scan::IndexPattern<Self, #source> =
                ::singlet::scan::IndexPattern::new();
        }
    });
    quote! {
        #pattern
        #[doc = #about]
        #visibility fn #name(#(#arguments),*) -> ::singlet::Query<Self, #rest, #source> {
            #make
        }
    }
}

/// The read target of an index pattern, as a type. The table's declaration decides whether the
/// index supports consistent reads and projects the whole entity.
fn by_index(entity: &Entity, index: &str, place: usize) -> TokenStream {
    let (ident, table) = (&entity.ident, &entity.arguments.table);
    let table = quote!(<#table as ::singlet::Table>::SHAPE);
    quote!(::singlet::query::ByIndex<
        #place,
        { ::singlet::check::is_local(#table, #index) },
        { ::singlet::check::is_held(&<#ident as ::singlet::Entity>::SHAPE, #table, #index) },
    >)
}
