//! Structs with named fields, stored as maps.

use super::generics::bounded;
use super::members::Members;
use crate::case::Case;
use crate::field::Field;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Fields};

pub(super) fn expand(
    input: &DeriveInput,
    fields: &Fields,
    case: Option<Case>,
) -> syn::Result<TokenStream> {
    let (name, visibility) = (&input.ident, &input.vis);
    let fields = Field::all(fields, name.span(), "an attribute")?;
    let members = Members::of(&fields, case)?;
    let constants = members.iter().map(|(stored, field)| {
        let (constant, ty) = (field.constant(), field.stored_type());
        let about = format!("The member `{stored}`, for conditions and updates.");
        quote! {
            #[doc = #about]
            #visibility const #constant: ::singlet::field::Member<Self, #ty> =
                ::singlet::field::Member::new(#stored);
        }
    });
    let writes = members.writes(|field| {
        let ident = &field.ident;
        quote!(&self.#ident)
    });
    let (reads, braces, count) = (members.reads(), members.braces(), members.len());
    let names = members.names();
    let kinds = fields.iter().map(|field| field.kind_within(name));
    let (parameters, arguments, conditions) = input.generics.split_for_impl();
    let bounded = bounded(&input.generics, &fields);
    let (bounded, _, _) = bounded.split_for_impl();
    Ok(quote! {
        impl #parameters #name #arguments #conditions {
            #(#constants)*
        }

        impl #bounded ::singlet::Attribute for #name #arguments #conditions {
            const KIND: ::singlet::design::AttributeType =
                ::singlet::design::AttributeType::of_members(
                    &[#(#kinds),*],
                );
            const MEMBERS: &'static [&'static str] = &[#(#names),*];

            fn to_value(
                &self,
            ) -> ::std::result::Result<
                ::std::option::Option<::singlet::dynamo::Value>,
                ::singlet::attribute::NotStorable,
            > {
                let mut __members = ::std::vec::Vec::with_capacity(#count);
                #writes
                ::std::result::Result::Ok(::std::option::Option::Some(
                    ::singlet::dynamo::Value::M(::singlet::dynamo::Map::from_entries(__members)),
                ))
            }

            fn from_value(
                __value: ::std::option::Option<::singlet::dynamo::binary::ValueRef<'_>>,
            ) -> ::std::result::Result<Self, ::singlet::attribute::Mismatch> {
                let mut __members = ::singlet::attribute::Members::of(__value)?;
                #reads
                ::std::result::Result::Ok(Self #braces)
            }
        }
    })
}
