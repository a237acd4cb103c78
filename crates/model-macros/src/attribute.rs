//! `#[derive(Attribute)]`: structs as maps, enums without fields as text.

use crate::case::Case;
use crate::field::Field;
use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Data, DataEnum, DeriveInput, Fields, Ident, LitStr};

pub(crate) fn expand(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let case = rename_all(&input)?;
    match &input.data {
        Data::Struct(data) => {
            let fields = Field::all(&data.fields, input.ident.span(), "an attribute")?;
            expand_struct(&input, &fields, case)
        }
        Data::Enum(data) => expand_enum(&input.ident, data, case),
        Data::Union(_) => {
            Err(syn::Error::new(input.ident.span(), "a union cannot be stored as an attribute"))
        }
    }
}

fn rename_all(input: &DeriveInput) -> syn::Result<Option<Case>> {
    let mut case = None;
    for attribute in input.attrs.iter().filter(|one| one.path().is_ident("attribute")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("rename_all") {
                return Err(meta.error("unknown; a type can say `rename_all = \"…\"`"));
            }
            case = Some(Case::parse(&meta.value()?.parse()?)?);
            Ok(())
        })?;
    }
    Ok(case)
}

fn expand_struct(
    input: &DeriveInput,
    fields: &[Field],
    case: Option<Case>,
) -> syn::Result<TokenStream> {
    let (name, visibility) = (&input.ident, &input.vis);
    for field in fields {
        field.options.refuse_entity_options()?;
    }
    // Stored names ascend, and are read in that order.
    let mut sorted: Vec<(String, &Field)> =
        fields.iter().map(|field| (field.attribute(case), field)).collect();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let Some([_, (twice, field)]) = sorted.array_windows().find(|[(a, _), (b, _)]| a == b) {
        let message = format!("two members are called `{twice}`");
        return Err(syn::Error::new(field.ident.span(), message));
    }
    let writes = sorted.iter().map(|(stored, field)| {
        let ident = &field.ident;
        let otherwise = match field.options.null {
            Some(_) => quote!(.or(::std::option::Option::Some(::singlet::dynamo::Value::Null))),
            None => TokenStream::new(),
        };
        quote! {
            if let ::std::option::Option::Some(value) =
                ::singlet::Attribute::to_value(&self.#ident)? #otherwise
            {
                members.push((::std::borrow::ToOwned::to_owned(#stored), value));
            }
        }
    });
    let reads = sorted.iter().map(|(stored, field)| {
        let ident = &field.ident;
        match field.options.default {
            Some(_) => quote!(let #ident = members.read_or_default(#stored)?;),
            None => quote!(let #ident = members.read(#stored)?;),
        }
    });
    let idents = fields.iter().map(|field| &field.ident);
    let constants = sorted.iter().map(|(stored, field)| {
        let (ident, ty) = (&field.ident, &field.ty);
        let about = format!("The member `{stored}`, for conditions and updates.");
        quote! {
            #[doc = #about]
            #[allow(non_upper_case_globals)]
            #visibility const #ident: ::singlet::field::Member<Self, #ty> =
                ::singlet::field::Member::new(#stored);
        }
    });
    let count = fields.len();
    let types = fields.iter().map(|field| &field.ty);
    Ok(quote! {
        impl #name {
            #(#constants)*
        }

        impl ::singlet::Attribute for #name {
            const KIND: ::singlet::design::AttributeType =
                ::singlet::design::AttributeType::of_members(
                    &[#(<#types as ::singlet::Attribute>::KIND),*],
                );

            fn to_value(
                &self,
            ) -> ::std::result::Result<
                ::std::option::Option<::singlet::dynamo::Value>,
                ::singlet::attribute::Unstorable,
            > {
                let mut members = ::std::vec::Vec::with_capacity(#count);
                #(#writes)*
                ::std::result::Result::Ok(::std::option::Option::Some(
                    ::singlet::dynamo::Value::M(::singlet::dynamo::Map::from_entries(members)),
                ))
            }

            fn from_value(
                value: ::std::option::Option<::singlet::dynamo::binary::ValueRef<'_>>,
            ) -> ::std::result::Result<Self, ::singlet::attribute::Mismatch> {
                let mut members = ::singlet::attribute::Members::of(value)?;
                #(#reads)*
                ::std::result::Result::Ok(Self { #(#idents),* })
            }
        }
    })
}

fn expand_enum(name: &Ident, data: &DataEnum, case: Option<Case>) -> syn::Result<TokenStream> {
    let mut variants = Vec::with_capacity(data.variants.len());
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            let message = "a variant with fields cannot be stored as text";
            return Err(syn::Error::new(variant.ident.span(), message));
        }
        variants.push((&variant.ident, text_of(variant, case)?));
    }
    if variants.is_empty() {
        return Err(syn::Error::new(name.span(), "an enum without variants has no values"));
    }
    let to_text = variants.iter().map(|(ident, text)| quote!(Self::#ident => #text));
    let from_text = variants.iter().map(|(ident, text)| quote!(#text => Self::#ident));
    let list: Vec<String> = variants.iter().map(|(_, text)| format!("`{text}`")).collect();
    let texts = variants.iter().map(|(_, text)| text);
    let expected = format!("one of {}", list.join(", "));
    // Text that holds the delimiter could be mistaken for two parts of a key.
    let is_closed = variants.iter().all(|(_, text)| !text.is_empty() && !text.contains('#'));
    let key_part = is_closed.then(|| {
        quote! {
            impl ::singlet::KeyPart for #name {
                const SHAPE: ::singlet::key::Shape =
                    ::singlet::key::Shape::Text(::singlet::key::Form::CLOSED);
            }
        }
    });
    Ok(quote! {
        impl #name {
            /// The text under which it is stored.
            #[must_use]
            pub fn as_str(&self) -> &'static str {
                match self {
                    #(#to_text,)*
                }
            }
        }

        impl ::singlet::Attribute for #name {
            const KIND: ::singlet::design::AttributeType = ::singlet::design::AttributeType::Text;
            const ONE_OF: &'static [&'static str] = &[#(#texts),*];

            fn to_value(
                &self,
            ) -> ::std::result::Result<
                ::std::option::Option<::singlet::dynamo::Value>,
                ::singlet::attribute::Unstorable,
            > {
                ::std::result::Result::Ok(::std::option::Option::Some(
                    ::singlet::dynamo::Value::from(self.as_str()),
                ))
            }

            fn from_value(
                value: ::std::option::Option<::singlet::dynamo::binary::ValueRef<'_>>,
            ) -> ::std::result::Result<Self, ::singlet::attribute::Mismatch> {
                ::std::result::Result::Ok(match ::singlet::attribute::text(value, #expected)? {
                    #(#from_text,)*
                    other => {
                        return ::std::result::Result::Err(
                            ::singlet::attribute::Mismatch::new(#expected, ::std::format!("`{other}`")),
                        );
                    }
                })
            }
        }

        #key_part
    })
}

/// The text of a variant.
fn text_of(variant: &syn::Variant, case: Option<Case>) -> syn::Result<String> {
    let mut rename: Option<LitStr> = None;
    for attribute in variant.attrs.iter().filter(|one| one.path().is_ident("attribute")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("rename") {
                return Err(meta.error("unknown; a variant can say `rename = \"…\"`"));
            }
            rename = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    let name = variant.ident.unraw().to_string();
    Ok(match (rename, case) {
        (Some(name), _) => name.value(),
        (None, Some(case)) => case.apply(&name),
        (None, None) => name,
    })
}
