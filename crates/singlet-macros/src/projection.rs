//! `#[derive(Projection)]`: a struct with some of an entity's fields.

use crate::field::Field;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Path};

/// The number of flags of `singlet::query::HeldBy`. The macro does not see how many index patterns
/// the entity has.
const PATTERNS_MAX: usize = 32;

pub(crate) fn expand(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let ident = &input.ident;
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new(ident.span(), "a projection is a struct with named fields"));
    };
    let fields = Field::all(&data.fields, ident.span(), "a projection")?;
    for field in &fields {
        field.options.refuse_all_but_serde()?;
    }
    let mut declared = input.attrs.iter().filter(|one| one.path().is_ident("projection"));
    let Some(declared) = declared.next() else {
        return Err(syn::Error::new(
            ident.span(),
            "a projection says of which entity it is: `#[projection(Game)]`",
        ));
    };
    let entity: Path = declared.parse_args()?;
    let names = fields.iter().map(|field| &field.name);
    let idents = fields.iter().map(|field| &field.ident);
    // Reading through the entity's constants makes the compiler check the field types.
    let reads = fields.iter().map(|field| {
        let (name, constant, ty) = (&field.ident, field.constant(), &field.ty);
        let read =
            field.unwrap_stored(quote_spanned!(name.span()=> __item.project(#entity::#constant)?));
        quote_spanned!(name.span()=> let #name: #ty = #read;)
    });
    let places = 0..PATTERNS_MAX;
    Ok(quote! {
        impl ::singlet::query::PartlyHeld for #ident {
            type HeldBy = ::singlet::query::HeldBy<
                #({ ::singlet::check::is_projection_held::<#ident>(#places) }),*
            >;
        }

        impl ::singlet::Projection for #ident {
            type Entity = #entity;
            const FIELDS: ::std::option::Option<&'static [usize]> = ::std::option::Option::Some(&[
                #(::singlet::check::place_of(&<#entity as ::singlet::Entity>::SHAPE, #names)),*
            ]);

            fn decode(
                __item: &mut ::singlet::item::Reader<'_>,
            ) -> ::std::result::Result<Self, ::singlet::Corrupt> {
                #(#reads)*
                ::std::result::Result::Ok(Self { #(#idents),* })
            }
        }
    })
}
