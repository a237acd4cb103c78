//! The colours of tokens.

/// Easy to tell apart, on light and on dark ground.
const PALETTE: [&str; 6] = ["#3B82F6", "#EF4444", "#10B981", "#F59E0B", "#A855F7", "#EC4899"];

/// A colour that none of these has: of the palette, or in large games of the colour circle.
pub(crate) fn free_color<'a>(taken: impl Iterator<Item = &'a str> + Clone) -> String {
    let is_free = |color: &str| !taken.clone().any(|one| one.eq_ignore_ascii_case(color));
    let from_palette = PALETTE.into_iter().find(|color| is_free(color)).map(str::to_owned);
    let around = (0_u32..).map(around_the_circle);
    from_palette.or_else(|| around.take(1_000).find(|color| is_free(color))).unwrap_or_default()
}

/// Steps of the golden angle keep hues apart.
fn around_the_circle(step: u32) -> String {
    let hue = (f64::from(step) * 137.508) % 360.0;
    // Every full round is a little darker.
    let lightness = 0.62 - 0.12 * f64::from(step / 60 % 3);
    let channel = |offset: f64| {
        let place = (offset + hue / 30.0) % 12.0;
        let saturation = 0.7 * lightness.min(1.0 - lightness);
        let value = lightness - saturation * (place - 3.0).min(9.0 - place).clamp(-1.0, 1.0);
        (value * 255.0).round() as u8
    };
    format!("#{:02X}{:02X}{:02X}", channel(0.0), channel(8.0), channel(4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_hundred_players_have_three_hundred_colours() {
        let mut colors: Vec<String> = Vec::new();
        for _ in 0..300 {
            let color = free_color(colors.iter().map(String::as_str));
            assert!(color.len() == 7 && color.starts_with('#'), "{color}");
            assert!(!colors.contains(&color), "{color}");
            colors.push(color);
        }
        assert_eq!(colors[..6], PALETTE);
        // The colour of a player who leaves is free.
        colors.remove(2);
        assert_eq!(free_color(colors.iter().map(String::as_str)), PALETTE[2]);
    }
}
