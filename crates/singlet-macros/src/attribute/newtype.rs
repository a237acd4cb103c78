//! Newtype structs, stored as their inner value.

use super::generics::bounded;
use super::options::TypeOptions;
use crate::field::Field;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, FieldsUnnamed};

pub(super) fn expand(
    input: &DeriveInput,
    fields: &FieldsUnnamed,
    options: &TypeOptions,
) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let mut unnamed = fields.unnamed.iter();
    let (Some(field), None) = (unnamed.next(), unnamed.next()) else {
        return Err(syn::Error::new(
            name.span(),
            "a struct without names is stored as the one value that it holds; give several fields names, under which they are stored",
        ));
    };
    if options.rename_all.is_some() {
        let message = "a newtype is stored as its value, and has no members to rename";
        return Err(syn::Error::new(name.span(), message));
    }
    let field = Field::unnamed(field)?;
    let ty = &field.ty;
    let (parameters, arguments, conditions) = {
        let (_, arguments, conditions) = input.generics.split_for_impl();
        (bounded(&input.generics, [&field]), arguments, conditions)
    };
    let (parameters, _, _) = parameters.split_for_impl();
    let stored = field.stored_type();
    let to_value = field.to_value(&quote!(&self.0));
    let own = field.unwrap_stored(quote! {
        <#stored as ::singlet::Attribute>::from_value(__value)?
    });
    // A serde value cannot be borrowed as an attribute, so there is no `Newtype` impl for it.
    let newtype = field.options.with_serde.is_none().then(|| {
        quote! {
            impl #parameters ::singlet::attribute::Newtype for #name #arguments #conditions {
                type Inner = #ty;

                fn inner(&self) -> &#ty {
                    &self.0
                }

                fn wrap(inner: #ty) -> Self {
                    Self(inner)
                }
            }
        }
    });
    Ok(quote! {
        impl #parameters ::singlet::Attribute for #name #arguments #conditions {
            const KIND: ::singlet::design::AttributeType = <#stored as ::singlet::Attribute>::KIND;
            const ONE_OF: &'static [&'static str] = <#stored as ::singlet::Attribute>::ONE_OF;
            const OPTIONAL: bool = <#stored as ::singlet::Attribute>::OPTIONAL;
            const MEMBERS: &'static [&'static str] = <#stored as ::singlet::Attribute>::MEMBERS;

            fn to_value(
                &self,
            ) -> ::std::result::Result<
                ::std::option::Option<::singlet::dynamo::Value>,
                ::singlet::attribute::NotStorable,
            > {
                #to_value
            }

            fn from_value(
                __value: ::std::option::Option<::singlet::dynamo::binary::ValueRef<'_>>,
            ) -> ::std::result::Result<Self, ::singlet::attribute::Mismatch> {
                ::std::result::Result::Ok(Self(#own))
            }
        }

        #newtype
    })
}
