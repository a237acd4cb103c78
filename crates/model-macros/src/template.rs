//! Key templates: literals, and fields in braces.

use crate::field::Field;
use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

/// A key template, as it was written.
pub(crate) struct Template {
    pub(crate) literal: LitStr,
    pub(crate) segments: Vec<Segment>,
}

pub(crate) enum Segment {
    Literal(String),
    Part(Part),
}

/// A field in a template.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// The field's place among the fields.
    pub(crate) place: usize,
    /// How many digits it is written with; zero if nothing is said.
    pub(crate) width: u8,
}

impl Template {
    pub(crate) fn parse(literal: &LitStr, fields: &[Field]) -> syn::Result<Self> {
        let text = literal.value();
        let error = |message: String| syn::Error::new(literal.span(), message);
        if text.is_empty() {
            return Err(error("a key template must not be empty".to_owned()));
        }
        let mut segments = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            push_literal(before, literal, &mut segments)?;
            let Some((part, behind)) = behind.split_once('}') else {
                return Err(error(format!("the key template `{text}` has a `{{` without a `}}`")));
            };
            segments.push(Segment::Part(parse_part(part, literal, fields)?));
            rest = behind;
        }
        push_literal(rest, literal, &mut segments)?;
        Ok(Self { literal: literal.clone(), segments })
    }

    /// The fields, in the order of the template.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Part(part) => Some(*part),
            Segment::Literal(_) => None,
        })
    }

    /// Whether the template has more to it than a field.
    pub(crate) fn is_composed(&self) -> bool {
        !matches!(self.segments.as_slice(), [Segment::Part(_)])
    }

    /// Whether text stands behind the last field.
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

fn push_literal(text: &str, whole: &LitStr, segments: &mut Vec<Segment>) -> syn::Result<()> {
    if text.contains('}') {
        let message = format!("the key template `{}` has a `}}` without a `{{`", whole.value());
        return Err(syn::Error::new(whole.span(), message));
    }
    if !text.is_empty() {
        segments.push(Segment::Literal(text.to_owned()));
    }
    Ok(())
}

/// Reads `code`, or `minute:04`.
fn parse_part(part: &str, literal: &LitStr, fields: &[Field]) -> syn::Result<Part> {
    let error = |message: String| syn::Error::new(literal.span(), message);
    let (name, width) = match part.split_once(':') {
        None => (part, 0),
        Some((name, width)) => {
            let digits = width.strip_prefix('0').and_then(|digits| digits.parse::<u8>().ok());
            match digits.filter(|digits| (1..=20).contains(digits)) {
                Some(digits) => (name, digits),
                None => {
                    return Err(error(format!(
                        "`{{{part}}}`: a width is written `{{{name}:04}}`, for four digits with zeros in front"
                    )));
                }
            }
        }
    };
    match fields.iter().position(|field| field.name == name) {
        Some(place) => Ok(Part { place, width }),
        None => {
            let known: Vec<String> =
                fields.iter().map(|field| format!("`{}`", field.name)).collect();
            Err(error(format!(
                "the key template `{}` names `{name}`, which is not a field of this entity; its fields are {}",
                literal.value(),
                known.join(", ")
            )))
        }
    }
}
