#include <weft/testing/test_certificates.hpp>

#include <weft/base/error.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace weft::testing {

namespace {

using std::chrono::hours;

constexpr hours day{24};

template <auto Free>
struct deleter {
    template <class T>
    void operator()(T* object) const noexcept
    {
        Free(object);
    }
};
using key_ptr = std::unique_ptr<EVP_PKEY, deleter<EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, deleter<X509_free>>;
using extension_ptr = std::unique_ptr<X509_EXTENSION, deleter<X509_EXTENSION_free>>;
using bio_ptr = std::unique_ptr<BIO, deleter<BIO_free>>;
using number_ptr = std::unique_ptr<BIGNUM, deleter<BN_free>>;

[[noreturn]] void refuse(std::string_view what)
{
    std::array<char, 256> reason{};
    ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
    ERR_clear_error();
    throw error{errc::tls_failed, std::string{what}, reason.data()};
}

// A certificate that is half made would fail much later, as a handshake that says nothing.
void require(bool is_good, std::string_view what)
{
    if (!is_good) refuse(what);
}

template <class Write>
std::string pem_of(Write write)
{
    const bio_ptr out{BIO_new(BIO_s_mem())};
    require(out && write(out.get()) == 1, "writing a PEM text");
    char* text = nullptr;
    const long size = BIO_get_mem_data(out.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

// An elliptic curve: a key of RSA takes a tenth of a second, and tests make hundreds.
key_ptr make_key()
{
    key_ptr key{EVP_EC_gen("P-256")};
    require(key != nullptr, "making a key");
    return key;
}

// 127 bits that are not all zero: the number is new, as browsers want it.
void set_serial(X509* certificate)
{
    std::array<unsigned char, 16> bytes{};
    require(RAND_bytes(bytes.data(), bytes.size()) == 1, "making a serial number");
    bytes[0] = (bytes[0] & 0x7fU) | 0x40U;
    const number_ptr number{BN_bin2bn(bytes.data(), bytes.size(), nullptr)};
    require(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)),
            "setting a serial number");
}

void set_validity(X509* certificate, certificate_options::time_point from,
                  certificate_options::time_point until)
{
    using std::chrono::system_clock;
    require(ASN1_TIME_set(X509_getm_notBefore(certificate), system_clock::to_time_t(from)) &&
                ASN1_TIME_set(X509_getm_notAfter(certificate), system_clock::to_time_t(until)),
            "setting the validity");
}

void set_name(X509_NAME* name, const std::string& text)
{
    require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                       reinterpret_cast<const unsigned char*>(text.c_str()), -1,
                                       -1, 0) == 1,
            "setting a common name");
}

void add_extension(X509* certificate, X509* issuer, int id, const std::string& value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const extension_ptr extension{X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str())};
    require(extension && X509_add_ext(certificate, extension.get(), -1) == 1,
            "setting the extension " + value);
}

// Version 3, without which no extension may be there, and browsers want those.
certificate_ptr make_certificate(EVP_PKEY* key)
{
    certificate_ptr certificate{X509_new()};
    require(certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                X509_set_pubkey(certificate.get(), key) == 1,
            "making a certificate");
    set_serial(certificate.get());
    return certificate;
}

std::string certificate_text(X509* certificate)
{
    return pem_of([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

// `DNS:localhost,IP:127.0.0.1`. The syntax is OpenSSL's configuration language, so that a name must
// not bring a comma of its own.
std::string alternative_names(const std::vector<std::string>& hosts)
{
    std::string names;
    for (const std::string& host : hosts) {
        if (host.empty() || host.find_first_of(", \n") != std::string::npos)
            throw error{errc::invalid_configuration, "hosts of a certificate",
                        "'" + host + "' is neither a DNS name nor an IP address"};
        boost::system::error_code is_name;
        boost::asio::ip::make_address(host, is_name);
        names.append(names.empty() ? "" : ",").append(is_name ? "DNS:" : "IP:").append(host);
    }
    return names;
}

}  // namespace

certificate_options::certificate_options() : hosts_{"localhost", "127.0.0.1", "::1"}
{
    const time_point now = std::chrono::system_clock::now();
    valid(now - day, now + 30 * day);
}

certificate_options& certificate_options::hosts(std::vector<std::string> names)
{
    hosts_ = std::move(names);
    return *this;
}

certificate_options& certificate_options::common_name(std::string name)
{
    common_name_ = std::move(name);
    return *this;
}

certificate_options& certificate_options::valid(time_point from, time_point until)
{
    valid_from_ = from;
    valid_until_ = until;
    return *this;
}

certificate_options& certificate_options::for_clients()
{
    is_for_clients_ = true;
    return *this;
}

certificate_options& certificate_options::expired()
{
    const time_point now = std::chrono::system_clock::now();
    return valid(now - 2 * day, now - day);
}

certificate_options& certificate_options::not_yet_valid()
{
    const time_point now = std::chrono::system_clock::now();
    return valid(now + day, now + 2 * day);
}

pem_file::pem_file(const std::string& text)
{
    std::string path = (std::filesystem::temp_directory_path() / "weft-XXXXXX.pem").string();
    const int file = ::mkstemps(path.data(), 4);
    if (file < 0)
        throw error{errc::invalid_configuration, path, std::generic_category().message(errno)};
    path_ = path;
    const ssize_t written = ::write(file, text.data(), text.size());
    ::close(file);
    if (written == static_cast<ssize_t>(text.size())) return;
    std::filesystem::remove(path_);
    throw error{errc::invalid_configuration, path, "the file system does not take the text"};
}

pem_file::~pem_file()
{
    std::error_code is_gone_already;
    if (!path_.empty()) std::filesystem::remove(path_, is_gone_already);
}

struct certificate_authority::root_identity {
    key_ptr key;
    certificate_ptr certificate;
};

certificate_authority::certificate_authority(const std::string& name)
    : root_{std::make_unique<root_identity>()}
{
    root_->key = make_key();
    root_->certificate = make_certificate(root_->key.get());
    X509* const root = root_->certificate.get();
    const auto now = std::chrono::system_clock::now();
    set_validity(root, now - 365 * day, now + 365 * day);
    set_name(X509_get_subject_name(root), name);
    require(X509_set_issuer_name(root, X509_get_subject_name(root)) == 1, "setting the issuer");
    add_extension(root, root, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(root, root, NID_key_usage, "critical,keyCertSign,cRLSign");
    add_extension(root, root, NID_subject_key_identifier, "hash");
    require(X509_sign(root, root_->key.get(), EVP_sha256()) > 0, "signing the root");
    certificate_pem_ = certificate_text(root);
}

certificate_authority::~certificate_authority() = default;
certificate_authority::certificate_authority(certificate_authority&&) noexcept = default;
certificate_authority& certificate_authority::operator=(certificate_authority&&) noexcept = default;

issued_certificate certificate_authority::issue(const certificate_options& options) const
{
    const std::string names = alternative_names(options.hosts());
    const key_ptr key = make_key();
    const certificate_ptr leaf = make_certificate(key.get());
    X509* const root = root_->certificate.get();
    set_validity(leaf.get(), options.valid_from(), options.valid_until());
    set_name(X509_get_subject_name(leaf.get()), options.common_name());
    require(X509_set_issuer_name(leaf.get(), X509_get_subject_name(root)) == 1,
            "setting the issuer");
    add_extension(leaf.get(), root, NID_basic_constraints, "critical,CA:FALSE");
    add_extension(leaf.get(), root, NID_key_usage, "critical,digitalSignature");
    add_extension(leaf.get(), root, NID_ext_key_usage, options.is_for_clients() ? "clientAuth" : "serverAuth");
    add_extension(leaf.get(), root, NID_subject_key_identifier, "hash");
    add_extension(leaf.get(), root, NID_authority_key_identifier, "keyid:always");
    if (!names.empty()) add_extension(leaf.get(), root, NID_subject_alt_name, names);
    require(X509_sign(leaf.get(), root_->key.get(), EVP_sha256()) > 0, "signing a certificate");
    return {certificate_text(leaf.get()), pem_of([&](BIO* out) {
                return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
            })};
}

}  // namespace weft::testing
