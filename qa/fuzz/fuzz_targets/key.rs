#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| singlet_testing::fuzz::key(input));
