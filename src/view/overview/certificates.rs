use jiff::Timestamp;

use crate::api::{Object, parse_time};
use crate::view::yaml::base64;

/// A Secret with a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    pub namespace: String,
    pub name: String,
    /// When it is valid no more.
    pub ends: Timestamp,
}

/// When the certificate of a Secret of type `kubernetes.io/tls` ends; of several, its own, which stands first. None
/// when there is none that can be read.
pub fn expiry_of_secret(secret: &Object) -> Option<Certificate> {
    let pem = base64::decode(&secret.str_at(&["data", "tls.crt"])?)?;
    let pem = std::str::from_utf8(&pem).ok()?;
    let (_, rest) = pem.split_once("-----BEGIN CERTIFICATE-----")?;
    let (body, _) = rest.split_once("-----END")?;
    let ends = not_after(&base64::decode(body.trim())?)?;
    Some(Certificate { namespace: secret.namespace().into(), name: secret.name().into(), ends })
}

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The end of an X.509 certificate's validity, by a walk over its DER (RFC 5280, 4.1): what stands before it is gone
/// over, and what stands after it is not looked at.
fn not_after(certificate: &[u8]) -> Option<Timestamp> {
    let (certificate, _) = value(certificate, SEQUENCE)?;
    let (mut fields, _) = value(certificate, SEQUENCE)?;
    if fields.first() == Some(&VERSION) {
        fields = any_value(fields)?.2;
    }
    // The serial number, the algorithm and the issuer.
    for _ in 0..3 {
        fields = any_value(fields)?.2;
    }
    let (validity, _) = value(fields, SEQUENCE)?;
    let (_, _, rest) = any_value(validity)?;
    let (tag, text, _) = any_value(rest)?;
    time(tag, std::str::from_utf8(text).ok()?)
}

/// The content of a value with this tag, and what stands behind it.
fn value(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    any_value(bytes).filter(|(found, ..)| *found == tag).map(|(_, content, rest)| (content, rest))
}

/// The tag and content of the value that stands here, and what stands behind it.
fn any_value(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        // So many bytes have the length.
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            (length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// `261215100000Z`, or with four digits of the year.
fn time(tag: u8, text: &str) -> Option<Timestamp> {
    let (year, rest) = match tag {
        UTC_TIME => {
            let (year, rest) = text.split_at_checked(2)?;
            // Two digits are of the years from 1950 on.
            ([if year < "50" { "20" } else { "19" }, year].concat(), rest)
        }
        GENERALIZED_TIME => text.split_at_checked(4).map(|(year, rest)| (year.to_owned(), rest))?,
        _ => return None,
    };
    let part = |at: usize| rest.get(at..at + 2);
    let date = [&*year, "-", part(0)?, "-", part(2)?, "T", part(4)?, ":", part(6)?, ":", part(8)?, rest.get(10..)?];
    parse_time(&date.concat())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Made by `openssl req -x509`: in UTCTime, and for a year that it has no digits for.
    const CERTIFICATES: [(&str, &str); 2] = [
        (
            "MIIBdDCCARmgAwIBAgIUUCQphhc9kFcUA7EKCb3YzYRFM1IwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEZGVtbzAeFw0yNjExMzAxNTU0NThaFw0yNjEyMTIxNTU0NThaMA8xDTALBgNVBAMMBGRlbW8wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARtg8nZ2J1SKyXq9FpQPeDNmT8ZFJMNkffHnX2IAyx7q8wY97Qds6QwfBS0Ny7KwiCQouQtw1xhlhiSErc8Du3jo1MwUTAdBgNVHQ4EFgQURDUCtCvqg+ko0d4chvWrBetgs8swHwYDVR0jBBgwFoAURDUCtCvqg+ko0d4chvWrBetgs8swDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEApbdPl44QTBjO4982/AFISxS/Jo9Tr95lt6PXbo7vjZkCIQDDdhFWrt+owoz0t79Q72026tmPGVckKeakTLadY6I8Rg==",
            "2026-12-12T15:54:58Z",
        ),
        (
            "MIIBdTCCARugAwIBAgIUfzLhDYYolyFjEP8byR9FLQi16b8wCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEZGVtbzAgFw0yNjExMzAxNTU0NThaGA8yMDU5MTAwODE1NTQ1OFowDzENMAsGA1UEAwwEZGVtbzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABE8vQJoVz1HsWHwWUC5OeGesj2eG/MRnLuIv84602+gnEpkxj3J1fBvHdbphnHHkntOOO2aQ0wzdr1UtCEJrQQijUzBRMB0GA1UdDgQWBBQZQvX9EQPevHhsHo7HE0mc6SPNfDAfBgNVHSMEGDAWgBQZQvX9EQPevHhsHo7HE0mc6SPNfDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCzO8cIrdCctZ0pnWhbehkA3hvsC7ca6/wiLtHiLqNOWwIgcG9YFLkcITOUGBjgrIh3kExyIYXnDD8cUMf5NJXfRSc=",
            "2059-10-08T15:54:58Z",
        ),
    ];

    fn secret(text: &str) -> Object {
        let metadata = json!({ "namespace": "shop", "name": "web-tls" });
        serde_json::from_value(json!({ "metadata": metadata, "data": { "tls.crt": text } })).unwrap()
    }

    fn encoded(bytes: &[u8]) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digits = |piece: &[u8]| {
            let bits = piece.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - piece.len()));
            let digit = |at: usize| {
                if at > piece.len() { '=' } else { char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]) }
            };
            (0..4).map(digit).collect::<String>()
        };
        bytes.chunks(3).map(digits).collect()
    }

    #[test]
    fn a_certificate_tells_when_it_ends() {
        for (body, ends) in CERTIFICATES {
            let pem = ["-----BEGIN CERTIFICATE-----\n", body, "\n-----END CERTIFICATE-----\n"].concat();
            let found = expiry_of_secret(&secret(&encoded(pem.as_bytes()))).unwrap();
            assert_eq!((&*found.namespace, &*found.name, found.ends), ("shop", "web-tls", parse_time(ends).unwrap()));
        }
    }

    #[test]
    fn whatever_is_no_certificate_is_none() {
        for text in ["", "%", "Zm9v", &encoded(b"-----BEGIN CERTIFICATE-----\nZm9v\n-----END CERTIFICATE-----")] {
            assert_eq!(expiry_of_secret(&secret(text)), None, "{text}");
        }
        let der = base64::decode(CERTIFICATES[0].0).unwrap();
        for end in 0..der.len() {
            let _ = not_after(&der[..end]);
        }
        for at in 0..200 {
            let mut broken = der.clone();
            broken[at] ^= 0xff;
            let _ = not_after(&broken);
        }
    }

    #[test]
    fn times_have_two_or_four_digits_of_the_year() {
        for (tag, text, expected) in [
            (UTC_TIME, "491231235959Z", Some("2049-12-31T23:59:59Z")),
            (UTC_TIME, "500101000000Z", Some("1950-01-01T00:00:00Z")),
            (GENERALIZED_TIME, "20590101000000Z", Some("2059-01-01T00:00:00Z")),
            (UTC_TIME, "4912312359Z", None),
            (UTC_TIME, "\u{e9}\u{e9}", None),
            (0x0c, "491231235959Z", None),
        ] {
            assert_eq!(time(tag, text), expected.and_then(parse_time), "{text}");
        }
    }
}
