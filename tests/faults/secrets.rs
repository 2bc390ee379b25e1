//! Tokens and the values of Secrets stand in no error, no Debug output and no URL.
