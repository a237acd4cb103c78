//! Enums without fields, stored as text.

use super::options::{TypeOptions, VariantOptions};
use super::{expected, refuse_equal_names, variant_name};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Ident};

pub(super) fn expand(
    input: &DeriveInput,
    data: &DataEnum,
    options: &TypeOptions,
) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let mut variants: Vec<(&Ident, String)> = Vec::with_capacity(data.variants.len());
    for variant in &data.variants {
        let rename = VariantOptions::of(variant)?.rename;
        let text = variant_name(&variant.ident, rename.as_ref(), options.rename_all);
        variants.push((&variant.ident, text));
    }
    let named: Vec<(&Ident, &str)> =
        variants.iter().map(|(ident, text)| (*ident, text.as_str())).collect();
    refuse_equal_names(&named)?;
    let to_text = variants.iter().map(|(ident, text)| quote!(Self::#ident => #text));
    let from_text = variants.iter().map(|(ident, text)| quote!(#text => Self::#ident));
    let texts = variants.iter().map(|(_, text)| text);
    let expected = expected(variants.iter().map(|(_, text)| text.as_str()));
    // Text with the delimiter would be ambiguous in a key.
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
                ::singlet::attribute::NotStorable,
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

        impl ::singlet::attribute::MapKey for #name {
            fn to_name(&self) -> ::std::borrow::Cow<'_, str> {
                ::std::borrow::Cow::Borrowed(self.as_str())
            }

            fn from_name(
                name: &str,
            ) -> ::std::result::Result<Self, ::singlet::attribute::Mismatch> {
                let text = ::singlet::dynamo::binary::ValueRef::S(name);
                <Self as ::singlet::Attribute>::from_value(::std::option::Option::Some(text))
            }
        }

        #key_part
    })
}
