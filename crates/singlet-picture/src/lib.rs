//! Validates uploaded pictures, crops or scales them, and re-encodes them, so that only the pixels
//! of a file are kept.
//!
//! A separate crate because decoders are generic: the crate that names them compiles them.

use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::imageops::FilterType;
use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageResult, Limits, Rgb, RgbImage,
};
use std::io::Cursor;

/// Maximum width and height, checked before decoding.
const SIDE_MAX: u32 = 4096;
/// Maximum memory for a decoded picture.
const DECODED_BYTES_MAX: u64 = 64 << 20;
/// JPEG quality, out of 100.
const QUALITY: u8 = 85;

/// What a picture is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureUse {
    /// A person: cropped to a square of 256 pixels.
    Avatar,
    /// A site: scaled to fit into 512 by 512 pixels.
    Logo,
}

impl PictureUse {
    /// Maximum file size.
    #[must_use]
    pub const fn bytes_max(self) -> usize {
        match self {
            Self::Avatar => 2 << 20,
            Self::Logo => 5 << 20,
        }
    }

    const fn side_min(self) -> u32 {
        match self {
            Self::Avatar => 64,
            Self::Logo => 100,
        }
    }
}

/// Why a file is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFault {
    /// The file is too large.
    TooLarge,
    /// Not a readable PNG, JPEG or WebP file.
    Type,
    /// Too few or too many pixels.
    Dimensions,
}

/// Any decoder error means the bytes are not a picture.
impl From<ImageError> for PictureFault {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::Limits(_) => Self::Dimensions,
            _ => Self::Type,
        }
    }
}

/// A picture as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The file.
    pub bytes: Vec<u8>,
    /// The file extension: `jpg`, or `png` if parts of the picture are transparent.
    pub extension: &'static str,
}

/// Decodes a file, whatever type it claims to be, and encodes its pixels as a new file.
///
/// Checks the header before decoding, because a small file can claim any number of pixels. Blocks
/// the thread.
///
/// # Errors
///
/// The reason why the file is rejected.
pub fn prepare(file: &[u8], used_as: PictureUse) -> Result<Picture, PictureFault> {
    if file.len() > used_as.bytes_max() {
        return Err(PictureFault::TooLarge);
    }
    let reader = Cursor::new(file);
    // Type-erased: pixel-reading code is compiled once per decoder type.
    let decoder: Box<dyn ImageDecoder> = match image::guess_format(file)? {
        ImageFormat::Png => Box::new(png_decoder(file)?),
        ImageFormat::Jpeg => Box::new(JpegDecoder::new(reader)?),
        ImageFormat::WebP => Box::new(WebPDecoder::new(reader)?),
        _ => return Err(PictureFault::Type),
    };
    encode(&fit(decode(decoder, used_as)?, used_as))
}

/// The decoder's memory limit: twice the picture. It is set before the header is read, because the
/// colour profile that precedes the pixels of a PNG is compressed too.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(2 * DECODED_BYTES_MAX);
    limits
}

fn png_decoder(file: &[u8]) -> ImageResult<PngDecoder<Cursor<&[u8]>>> {
    PngDecoder::with_limits(Cursor::new(file), limits())
}

fn decode(
    mut decoder: Box<dyn ImageDecoder + '_>,
    used_as: PictureUse,
) -> Result<DynamicImage, PictureFault> {
    let (width, height) = decoder.dimensions();
    let sides = used_as.side_min()..=SIDE_MAX;
    let is_too_large = decoder.total_bytes() > DECODED_BYTES_MAX;
    if !sides.contains(&width) || !sides.contains(&height) || is_too_large {
        return Err(PictureFault::Dimensions);
    }
    decoder.set_limits(limits())?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

fn fit(picture: DynamicImage, used_as: PictureUse) -> DynamicImage {
    let (width, height) = (picture.width(), picture.height());
    match used_as {
        // Scales before cropping, which saves a copy of 64 MB.
        PictureUse::Avatar => picture.resize_to_fill(256, 256, FilterType::Triangle),
        PictureUse::Logo if width > 512 || height > 512 => {
            picture.resize(512, 512, FilterType::Triangle)
        }
        PictureUse::Logo => picture,
    }
}

fn encode(picture: &DynamicImage) -> Result<Picture, PictureFault> {
    let mut bytes = Vec::new();
    if picture.color().has_alpha() {
        let rgba = DynamicImage::ImageRgba8(picture.to_rgba8());
        rgba.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)?;
        return Ok(Picture { bytes, extension: "png" });
    }
    JpegEncoder::new_with_quality(&mut bytes, QUALITY).encode_image(&picture.to_rgb8())?;
    Ok(Picture { bytes, extension: "jpg" })
}

/// A chequered PNG of 320 by 320 pixels, in this colour and off-white: a placeholder for demo data.
///
/// # Errors
///
/// If it cannot be encoded.
pub fn chequered(colour: [u8; 3]) -> ImageResult<Vec<u8>> {
    let picture = RgbImage::from_fn(320, 320, |x, y| {
        if (x / 40 + y / 40) % 2 == 0 { Rgb(colour) } else { Rgb([245, 245, 240]) }
    });
    let mut file = Vec::new();
    DynamicImage::ImageRgb8(picture).write_to(&mut Cursor::new(&mut file), ImageFormat::Png)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::png::PngEncoder;
    use image::{ExtendedColorType, ImageEncoder as _, Rgba, RgbaImage};

    fn file(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        picture.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    fn plain(width: u32, height: u32) -> DynamicImage {
        DynamicImage::ImageRgb8(RgbImage::from_pixel(width, height, Rgb([10, 120, 200])))
    }

    fn size(picture: &Picture) -> (u32, u32) {
        let read = image::load_from_memory(&picture.bytes).unwrap();
        (read.width(), read.height())
    }

    #[test]
    fn every_kind_is_read_and_cut() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let avatar = prepare(&file(&plain(300, 100), format), PictureUse::Avatar).unwrap();
            assert_eq!((size(&avatar), avatar.extension), ((256, 256), "jpg"), "{format:?}");
            let logo = prepare(&file(&plain(1024, 256), format), PictureUse::Logo).unwrap();
            assert_eq!((size(&logo), logo.extension), ((512, 128), "jpg"), "{format:?}");
        }
    }

    #[test]
    fn transparency_is_kept() {
        let half = RgbaImage::from_pixel(100, 100, Rgba([1, 2, 3, 128]));
        let png = file(&DynamicImage::ImageRgba8(half), ImageFormat::Png);
        let logo = prepare(&png, PictureUse::Logo).unwrap();
        assert_eq!((size(&logo), logo.extension), ((100, 100), "png"));
    }

    #[test]
    fn sides_have_bounds() {
        let cases = [
            (PictureUse::Avatar, 64, 64, true),
            (PictureUse::Avatar, 63, 64, false),
            (PictureUse::Logo, 100, 100, true),
            (PictureUse::Logo, 100, 99, false),
            (PictureUse::Logo, 4096, 100, true),
            (PictureUse::Logo, 4097, 100, false),
        ];
        for (used_as, width, height, is_taken) in cases {
            let taken = prepare(&file(&plain(width, height), ImageFormat::Png), used_as);
            let expected = if is_taken { None } else { Some(PictureFault::Dimensions) };
            assert_eq!(taken.err(), expected, "{used_as:?} {width}x{height}");
        }
    }

    /// A PNG of a few bytes that claims 20,000 by 20,000 pixels must not be decoded.
    #[test]
    fn an_oversized_header_is_refused_before_decoding() {
        let mut png = file(&plain(64, 64), ImageFormat::Png);
        png[16..24].copy_from_slice(&[0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20]);
        let crc = crc32(&png[12..29]);
        png[29..33].copy_from_slice(&crc.to_be_bytes());
        assert_eq!(prepare(&png, PictureUse::Avatar), Err(PictureFault::Dimensions));
    }

    /// A colour profile of zeros used to be decompressed before any limit was set: a file of 2 MiB
    /// took 2 GiB of memory.
    #[test]
    fn a_compressed_profile_is_not_unpacked_beyond_the_limit() {
        let mut png = Vec::new();
        let mut encoder = PngEncoder::new(&mut png);
        encoder.set_icc_profile(vec![0; 2 * DECODED_BYTES_MAX as usize + 1]).unwrap();
        let picture = plain(64, 64).into_rgb8();
        encoder.write_image(&picture, 64, 64, ExtendedColorType::Rgb8).unwrap();
        assert!(png.len() < PictureUse::Avatar.bytes_max());
        let mut decoder = png_decoder(&png).unwrap();
        assert_eq!(decoder.icc_profile().unwrap(), None);
        assert!(prepare(&png, PictureUse::Avatar).is_ok());
    }

    /// PNG's checksum.
    fn crc32(bytes: &[u8]) -> u32 {
        let mut crc = !0_u32;
        for byte in bytes {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            }
        }
        !crc
    }

    #[test]
    fn files_other_than_pictures_are_refused() {
        let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
        let mut cut = file(&plain(64, 64), ImageFormat::Png);
        cut.truncate(60);
        let others: [&[u8]; 5] =
            [svg, b"GIF89a\x40\0\x40\0\0\0\0", b"", b"\x89PNG\r\n\x1a\n", &cut];
        for other in others {
            assert_eq!(prepare(other, PictureUse::Avatar), Err(PictureFault::Type));
        }
        let long = vec![0; PictureUse::Avatar.bytes_max() + 1];
        assert_eq!(prepare(&long, PictureUse::Avatar), Err(PictureFault::TooLarge));
    }

    /// The EXIF orientation is applied and the EXIF data dropped.
    #[test]
    fn exif_is_obeyed_and_dropped() {
        let mut wide = RgbImage::from_pixel(200, 100, Rgb([255, 255, 255]));
        for x in 0..100 {
            for y in 0..100 {
                wide.put_pixel(x, y, Rgb([0, 0, 0]));
            }
        }
        let jpeg = file(&DynamicImage::ImageRgb8(wide), ImageFormat::Jpeg);
        // One entry: orientation (0x0112) is 6, turned by 90 degrees to the right.
        let mut exif =
            b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0".to_vec();
        exif.extend_from_slice(b"<script>alert(1)</script>");
        let mut turned = vec![0xff, 0xd8, 0xff, 0xe1];
        turned.extend_from_slice(&u16::try_from(exif.len() + 2).unwrap().to_be_bytes());
        turned.extend_from_slice(&exif);
        turned.extend_from_slice(&jpeg[2..]);
        let logo = prepare(&turned, PictureUse::Logo).unwrap();
        assert_eq!(size(&logo), (100, 200));
        let has = |text: &[u8]| logo.bytes.windows(text.len()).any(|part| part == text);
        assert!(!has(b"Exif") && !has(b"<script>"));
        let read = image::load_from_memory(&logo.bytes).unwrap().to_rgb8();
        // The left edge is at the top now.
        assert!(read.get_pixel(50, 20).0[0] < 40 && read.get_pixel(50, 180).0[0] > 215);
    }
}
