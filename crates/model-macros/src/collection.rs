//! `#[derive(Collection)]`: several entities of one partition, read by one query.

use crate::field::{Field, argument_of};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Type};

/// How many items of an entity a member takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    One,
    OneOrNone,
    Many,
}

struct Member<'f> {
    field: &'f Field,
    entity: &'f Type,
    number: Number,
}

impl<'f> Member<'f> {
    fn new(field: &'f Field) -> Self {
        let (entity, number) = if let Some(entity) = argument_of(&field.ty, "Vec") {
            (entity, Number::Many)
        } else if let Some(entity) = argument_of(&field.ty, "Option") {
            (entity, Number::OneOrNone)
        } else {
            (&field.ty, Number::One)
        };
        Self { field, entity, number }
    }
}

pub(crate) fn expand(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let (ident, visibility) = (&input.ident, &input.vis);
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new(ident.span(), "a collection is a struct with named fields"));
    };
    let fields = Field::all(&data.fields, ident.span(), "a collection")?;
    let members: Vec<Member<'_>> = fields.iter().map(Member::new).collect();
    let Some(first) = members.first() else {
        return Err(syn::Error::new(
            ident.span(),
            "a collection has members: entities of one partition",
        ));
    };
    let head = first.entity;
    let entities = members.iter().map(|member| member.entity);
    let begins = members.iter().map(|member| {
        let (name, entity) = (&member.field.ident, member.entity);
        match member.number {
            Number::Many => quote!(let mut #name = ::std::vec::Vec::<#entity>::new();),
            _ => quote!(let mut #name = ::std::option::Option::<#entity>::None;),
        }
    });
    let takes = members.iter().map(|member| {
        let (name, entity) = (&member.field.ident, member.entity);
        let keep = match member.number {
            Number::Many => quote!(#name.push(entity)),
            _ => quote!(#name = ::std::option::Option::Some(entity)),
        };
        quote! {
            if let ::std::option::Option::Some(entity) =
                ::singlet::table::decode_if::<#entity>(__item, __on_corrupt)?
            {
                #keep;
                continue;
            }
        }
    });
    let needed = members.iter().filter(|member| member.number == Number::One).map(|member| {
        let name = &member.field.ident;
        quote! {
            let ::std::option::Option::Some(#name) = #name else {
                return ::std::result::Result::Ok(::std::option::Option::None);
            };
        }
    });
    let idents = fields.iter().map(|field| &field.ident);
    let checks = members.iter().map(|member| {
        let (entity, is_many) = (member.entity, member.number == Number::Many);
        quote_spanned! {entity.span()=>
            const _: () = {
                ::singlet::collection::assert_same_partition::<#head, #entity>();
                ::singlet::check::collection(
                    &<#head as ::singlet::Entity>::SHAPE,
                    &<#entity as ::singlet::Entity>::SHAPE,
                    #is_many,
                );
            };
        }
    });
    Ok(quote! {
        impl ::singlet::Collection for #ident {
            type Head = #head;
            const MEMBERS: &'static [&'static ::singlet::shape::EntityShape] =
                &[#(&<#entities as ::singlet::Entity>::SHAPE),*];

            fn gather<'a>(
                __items: impl ::std::iter::Iterator<Item = ::singlet::dynamo::binary::ItemRef<'a>>,
                __on_corrupt: ::singlet::OnCorrupt,
            ) -> ::std::result::Result<::std::option::Option<Self>, ::singlet::Corrupt> {
                #(#begins)*
                for __item in __items {
                    #(#takes)*
                }
                #(#needed)*
                ::std::result::Result::Ok(::std::option::Option::Some(Self { #(#idents),* }))
            }
        }

        impl #ident {
            /// Reads the collection of a partition.
            #visibility fn of(
                partition: impl ::singlet::collection::Partition<
                    <#head as ::singlet::Entity>::Partition,
                >,
            ) -> ::singlet::collection::Load<Self> {
                ::singlet::collection::Load::new(partition)
            }
        }

        #(#checks)*
    })
}
