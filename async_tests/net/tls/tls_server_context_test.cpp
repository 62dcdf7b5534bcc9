#include <boost/test/unit_test.hpp>

#include "net/tls/tls_server_context.hpp"

#include <weft/base/error.hpp>
#include <weft/testing/test_certificates.hpp>

#include <openssl/x509.h>

#include <filesystem>
#include <fstream>
#include <string>

BOOST_AUTO_TEST_SUITE(tls_server_context_test)

using weft::errc;
using weft::error;
using weft::tls_server_options;
using weft::net_detail::tls_server_context;
using weft::testing::certificate_authority;
using weft::testing::certificate_options;
using weft::testing::issued_certificate;
using weft::testing::pem_file;

/** The error of options that cannot be used. */
std::string refusal_of(const tls_server_options& options)
{
    try {
        const tls_server_context context{options};
    } catch (const error& e) {
        BOOST_TEST((e.code() == errc::invalid_configuration));
        return e.what();
    }
    BOOST_FAIL("the context was made");
    throw std::logic_error{"unreachable"};
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void write_file(const std::filesystem::path& path, const std::string& text)
{
    std::ofstream{path, std::ios::trunc} << text;
}

std::string name_in(const tls_server_context& context)
{
    char name[256] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(SSL_CTX_get0_certificate(context.native())), NID_commonName, name,
                              sizeof name);
    return name;
}

BOOST_AUTO_TEST_CASE(a_key_may_stand_behind_its_certificate)
{
    const issued_certificate issued = certificate_authority{}.issue(certificate_options{}.common_name("one file"));
    const pem_file both{issued.certificate_pem + issued.key_pem};
    const tls_server_context context{{.certificate_file = both.path()}};
    BOOST_TEST(name_in(context) == "one file");
    BOOST_TEST(!context.asks_clients());
}

BOOST_AUTO_TEST_CASE(all_that_is_wrong_is_told_with_its_file)
{
    const pem_file no_pem{"no PEM"};
    const std::string told = refusal_of({.certificate_file = "/nowhere/chain.pem",
                                         .key_file = "/nowhere/key.pem",
                                         .client_ca_file = no_pem.path()});
    BOOST_TEST(holds(told, "/nowhere/chain.pem: the file cannot be read"));
    BOOST_TEST(holds(told, "/nowhere/key.pem: the file cannot be read"));
    BOOST_TEST(holds(told, no_pem.path().string() + ": it holds no PEM certificate of an authority"));
    BOOST_TEST(holds(refusal_of({}), "there is no certificate; name its file"));
}

BOOST_AUTO_TEST_CASE(certificates_that_cannot_be_used_are_refused)
{
    const certificate_authority authority;
    const issued_certificate one = authority.issue();
    const issued_certificate other = authority.issue();
    const issued_certificate old = authority.issue(certificate_options{}.expired());
    const issued_certificate young = authority.issue(certificate_options{}.not_yet_valid());
    const auto refused = [](const std::string& certificate_pem, const std::string& key_pem) {
        const pem_file certificate{certificate_pem};
        const pem_file key{key_pem};
        const std::string told = refusal_of({.certificate_file = certificate.path(), .key_file = key.path()});
        BOOST_TEST(!holds(told, key_pem.substr(0, 60)));
        return told;
    };
    BOOST_TEST(holds(refused(one.certificate_pem, other.key_pem), "the key does not belong to the certificate in "));
    BOOST_TEST(holds(refused(old.certificate_pem, old.key_pem), "the server's certificate has expired"));
    BOOST_TEST(holds(refused(young.certificate_pem, young.key_pem), "is not valid yet"));
    BOOST_TEST(holds(refused("no PEM", one.key_pem), "it holds no PEM certificate"));
    BOOST_TEST(holds(refused(one.certificate_pem, one.certificate_pem), "it holds no PEM private key"));
}

BOOST_AUTO_TEST_CASE(a_reload_takes_new_files_and_keeps_the_old_if_they_are_bad)
{
    const certificate_authority authority;
    const issued_certificate first = authority.issue(certificate_options{}.common_name("first"));
    const issued_certificate second = authority.issue(certificate_options{}.common_name("second"));
    const pem_file certificate{first.certificate_pem};
    const pem_file key{first.key_pem};
    tls_server_context context{{.certificate_file = certificate.path(), .key_file = key.path()}};
    // The certificate is there and its key is not yet: a moment of every renewal.
    write_file(certificate.path(), second.certificate_pem);
    BOOST_CHECK_EXCEPTION(context.reload(), error, [&](const error& e) {
        return holds(e.detail(), key.path().string() + ": the key does not belong to the certificate in ");
    });
    BOOST_TEST(name_in(context) == "first");
    write_file(key.path(), second.key_pem);
    context.reload();
    BOOST_TEST(name_in(context) == "second");
}

BOOST_AUTO_TEST_SUITE_END()
