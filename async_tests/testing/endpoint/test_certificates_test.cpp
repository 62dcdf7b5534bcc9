#include <boost/test/unit_test.hpp>

#include <weft/testing/test_certificates.hpp>

#include <weft/base/error.hpp>

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <fstream>
#include <iterator>
#include <memory>

BOOST_AUTO_TEST_SUITE(test_certificates_test)

using namespace weft::testing;

template <auto Free>
struct deleter {
    template <class T>
    void operator()(T* object) const noexcept
    {
        Free(object);
    }
};
using certificate_ptr = std::unique_ptr<X509, deleter<X509_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, deleter<EVP_PKEY_free>>;
using bio_ptr = std::unique_ptr<BIO, deleter<BIO_free>>;
using store_ptr = std::unique_ptr<X509_STORE, deleter<X509_STORE_free>>;
using context_ptr = std::unique_ptr<X509_STORE_CTX, deleter<X509_STORE_CTX_free>>;

bio_ptr reader(const std::string& pem)
{
    return bio_ptr{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))};
}

certificate_ptr certificate_of(const std::string& pem)
{
    return certificate_ptr{PEM_read_bio_X509(reader(pem).get(), nullptr, nullptr, nullptr)};
}

/** What OpenSSL says to the certificate, when it follows the standard to the letter. */
int verdict(const certificate_authority& authority, const issued_certificate& issued)
{
    const certificate_ptr root = certificate_of(authority.certificate_pem());
    const certificate_ptr leaf = certificate_of(issued.certificate_pem);
    const store_ptr store{X509_STORE_new()};
    BOOST_REQUIRE(root && leaf && store);
    X509_STORE_add_cert(store.get(), root.get());
    const context_ptr context{X509_STORE_CTX_new()};
    X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
    X509_VERIFY_PARAM* const how = X509_STORE_CTX_get0_param(context.get());
    X509_VERIFY_PARAM_set_flags(how, X509_V_FLAG_X509_STRICT);
    X509_VERIFY_PARAM_set_purpose(how, X509_PURPOSE_SSL_SERVER);
    return X509_verify_cert(context.get()) == 1 ? X509_V_OK
                                                : X509_STORE_CTX_get_error(context.get());
}

bool names_host(const issued_certificate& issued, const char* host)
{
    return X509_check_host(certificate_of(issued.certificate_pem).get(), host, 0, 0, nullptr) == 1;
}

bool names_address(const issued_certificate& issued, const char* address)
{
    return X509_check_ip_asc(certificate_of(issued.certificate_pem).get(), address, 0) == 1;
}

BOOST_AUTO_TEST_CASE(a_certificate_is_good_for_a_client_that_trusts_its_authority)
{
    const certificate_authority authority;
    BOOST_TEST(verdict(authority, authority.issue()) == X509_V_OK);
}

BOOST_AUTO_TEST_CASE(the_key_belongs_to_the_certificate)
{
    const certificate_authority authority;
    const issued_certificate issued = authority.issue();
    const key_ptr key{
        PEM_read_bio_PrivateKey(reader(issued.key_pem).get(), nullptr, nullptr, nullptr)};
    BOOST_REQUIRE(key);
    BOOST_TEST(EVP_PKEY_get_bits(key.get()) == 256);
    BOOST_TEST(X509_check_private_key(certificate_of(issued.certificate_pem).get(), key.get()) == 1);
    BOOST_TEST(authority.issue().key_pem != issued.key_pem);
}

BOOST_AUTO_TEST_CASE(another_authority_is_not_trusted)
{
    const certificate_authority mine{"mine"};
    const certificate_authority other{"other"};
    BOOST_TEST(verdict(mine, other.issue()) == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
    const certificate_authority of_the_same_name{"mine"};
    BOOST_TEST(verdict(mine, of_the_same_name.issue()) != X509_V_OK);
}

BOOST_AUTO_TEST_CASE(a_certificate_is_for_this_machine_unless_told_otherwise)
{
    const certificate_authority authority;
    const issued_certificate usual = authority.issue();
    BOOST_TEST(names_host(usual, "localhost"));
    BOOST_TEST(names_address(usual, "127.0.0.1"));
    BOOST_TEST(names_address(usual, "::1"));
    BOOST_TEST(!names_host(usual, "example.com"));

    const issued_certificate other =
        authority.issue(certificate_options{}.hosts({"*.example.com", "10.1.2.3"}));
    BOOST_TEST(verdict(authority, other) == X509_V_OK);
    BOOST_TEST(names_host(other, "api.example.com"));
    BOOST_TEST(names_address(other, "10.1.2.3"));
    BOOST_TEST(!names_host(other, "localhost"));
    BOOST_TEST(!names_address(other, "127.0.0.1"));
}

BOOST_AUTO_TEST_CASE(a_host_that_is_no_name_is_refused)
{
    const certificate_authority authority;
    for (const char* host : {"", "a b", "a,IP:10.1.2.3"})
        BOOST_CHECK_EXCEPTION(static_cast<void>(authority.issue(certificate_options{}.hosts({host}))),
                              weft::error, [](const weft::error& e) {
                                  return e.code() == weft::errc::invalid_configuration;
                              });
}

BOOST_AUTO_TEST_CASE(validity_is_as_wanted)
{
    const certificate_authority authority;
    BOOST_TEST(verdict(authority, authority.issue(certificate_options{}.expired())) ==
               X509_V_ERR_CERT_HAS_EXPIRED);
    BOOST_TEST(verdict(authority, authority.issue(certificate_options{}.not_yet_valid())) ==
               X509_V_ERR_CERT_NOT_YET_VALID);
    const auto now = std::chrono::system_clock::now();
    const std::chrono::hours hour{1};
    BOOST_TEST(verdict(authority, authority.issue(certificate_options{}.valid(now - hour,
                                                                              now + hour))) ==
               X509_V_OK);
}

BOOST_AUTO_TEST_CASE(a_pem_file_lives_as_long_as_its_object)
{
    const certificate_authority authority;
    std::filesystem::path path;
    {
        pem_file file{authority.certificate_pem()};
        pem_file moved{std::move(file)};
        path = moved.path();
        std::ifstream in{path};
        const std::string content{std::istreambuf_iterator<char>{in}, {}};
        BOOST_TEST(content == authority.certificate_pem());
        BOOST_CHECK(std::filesystem::status(path).permissions() ==
                    (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    }
    BOOST_TEST(!path.empty());
    BOOST_TEST(!std::filesystem::exists(path));
}

BOOST_AUTO_TEST_SUITE_END()
