#include "tls_roots.hpp"

#include <weft/base/error.hpp>

#include <openssl/x509.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace weft::net_detail {

namespace {

namespace fs = std::filesystem;

/** OpenSSL finds a root in a directory by the hash of its name: `3513523f.0`. Others there do not count. */
bool is_hashed_name(const std::string& name)
{
    constexpr std::size_t hash_size = 8;
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return name.size() > hash_size + 1 && name[hash_size] == '.' &&
           std::all_of(name.begin(), name.begin() + hash_size, is_hex);
}

bool has_hashed_roots(const std::string& directory)
{
    std::error_code ec;
    for (fs::directory_iterator entry{directory, ec}, end; !ec && entry != end; entry.increment(ec))
        if (is_hashed_name(entry->path().filename().string())) return true;
    return false;
}

bool is_file(const std::string& path)
{
    std::error_code ec;
    return fs::exists(path, ec);
}

/** OpenSSL takes several directories, as in PATH. */
std::vector<std::string> separated(std::string_view directories)
{
    std::vector<std::string> parts;
    while (!directories.empty()) {
        const std::string_view part = directories.substr(0, directories.find(':'));
        if (!part.empty()) parts.emplace_back(part);
        directories.remove_prefix(std::min(part.size() + 1, directories.size()));
    }
    return parts;
}

/** The value of a variable of the environment; null if it is empty, too. */
const char* set_variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value && *value ? value : nullptr;
}

std::string listed(const root_places& places)
{
    std::string list;
    for (const auto* group : {&places.directories, &places.files})
        for (const std::string& place : *group) list.append(list.empty() ? "" : ", ").append(place);
    return list;
}

}  // namespace

root_places system_root_places()
{
    const char* const file = set_variable(X509_get_default_cert_file_env());
    const char* const directory = set_variable(X509_get_default_cert_dir_env());
    if (file || directory) {
        // One of them that is set means these roots and no others.
        root_places named;
        named.choice = root_choice::all;
        if (directory) named.directories = separated(directory);
        if (file) named.files.emplace_back(file);
        return named;
    }
    return {{X509_get_default_cert_dir(), "/etc/ssl/certs"},
            {X509_get_default_cert_file(), "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
             "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"},
            root_choice::first};
}

void trust_roots_in(SSL_CTX* context, const root_places& places)
{
    bool has_roots = false;
    const auto is_enough = [&] { return has_roots && places.choice == root_choice::first; };
    for (const std::string& directory : places.directories)
        if (!is_enough() && has_hashed_roots(directory))
            has_roots |= SSL_CTX_load_verify_dir(context, directory.c_str()) == 1;
    for (const std::string& file : places.files)
        if (!is_enough() && is_file(file)) has_roots |= SSL_CTX_load_verify_file(context, file.c_str()) == 1;
    if (has_roots) return;
    const bool is_ours = places.choice == root_choice::first;
    throw error{errc::invalid_configuration, "TLS",
                "no trusted root certificates were found (looked in " + listed(places) + "); " +
                    (is_ours ? "install the package ca-certificates, or name a file in `ca_file` or in SSL_CERT_FILE"
                             : "correct or unset SSL_CERT_FILE and SSL_CERT_DIR, which name no other place")};
}

}  // namespace weft::net_detail
