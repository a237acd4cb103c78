//! Key templates: literals, and fields in braces.

use crate::field::Field;
use proc_macro2::TokenStream;
use quote::quote;
use singlet_template::Piece;
use syn::LitStr;

/// A parsed key template.
pub(crate) struct Template {
    pub(crate) literal: LitStr,
    pub(crate) segments: Vec<Segment>,
}

pub(crate) enum Segment {
    Literal(String),
    Part(Part),
}

/// A field in a template.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Position of the field.
    pub(crate) place: usize,
    /// Number of digits; zero if unspecified.
    pub(crate) width: u8,
}

impl Template {
    pub(crate) fn parse(literal: &LitStr, fields: &[Field]) -> syn::Result<Self> {
        let text = literal.value();
        let pieces = singlet_template::pieces(&text).map_err(|error| {
            syn::Error::new(literal.span(), format!("the key template {error}"))
        })?;
        let mut segments = Vec::with_capacity(pieces.len());
        for piece in pieces {
            segments.push(match piece {
                Piece::Literal(text) => Segment::Literal(text),
                Piece::Field { name, width } => Segment::Part(Part {
                    place: place_of(&name, literal, fields)?,
                    width: width.unwrap_or_default(),
                }),
            });
        }
        Ok(Self { literal: literal.clone(), segments })
    }

    /// The fields, in template order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Part(part) => Some(*part),
            Segment::Literal(_) => None,
        })
    }

    /// Whether the template is more than a single field.
    pub(crate) fn is_composed(&self) -> bool {
        !matches!(self.segments.as_slice(), [Segment::Part(_)])
    }

    /// Whether both templates are the same single field.
    pub(crate) fn is_same_field(&self, other: &Self) -> bool {
        match (self.segments.as_slice(), other.segments.as_slice()) {
            ([Segment::Part(one)], [Segment::Part(other)]) => one == other,
            _ => false,
        }
    }

    /// Whether a literal follows the last field.
    pub(crate) fn has_tail(&self) -> bool {
        matches!(self.segments.last(), Some(Segment::Literal(_)))
    }

    /// The template as a constant.
    pub(crate) fn to_constant(&self, fields: &[Field]) -> TokenStream {
        let text = &self.literal;
        let segments = self.segments.iter().map(|segment| match segment {
            Segment::Literal(literal) => quote!(::singlet::key::Segment::Literal(#literal)),
            Segment::Part(Part { place, width }) => {
                let Some(field) = fields.get(*place) else { return TokenStream::new() };
                let (name, ty) = (&field.name, &field.ty);
                quote!(::singlet::key::Segment::part(
                    #name,
                    <#ty as ::singlet::KeyPart>::SHAPE.form(#width)
                ))
            }
        });
        let parts = self.parts().map(|Part { place, width }| {
            let ty = fields.get(place).map(|field| &field.ty);
            quote!(::singlet::shape::TemplatePart::of::<#ty>(#place, #width))
        });
        quote!(::singlet::shape::Template {
            text: #text,
            segments: &[#(#segments),*],
            parts: &[#(#parts),*],
        })
    }
}

/// Position of the field with this name.
fn place_of(name: &str, literal: &LitStr, fields: &[Field]) -> syn::Result<usize> {
    fields.iter().position(|field| field.name == name).ok_or_else(|| {
        let known: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
        let message = format!(
            "the key template `{}` names `{name}`, which is not a field of this entity; its fields are {}",
            literal.value(),
            known.join(", ")
        );
        syn::Error::new(literal.span(), message)
    })
}
