#include <boost/test/unit_test.hpp>

#include "net/tls/tls_context.hpp"
#include "net/tls/tls_roots.hpp"

#include <weft/testing/test_certificates.hpp>

#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

BOOST_AUTO_TEST_SUITE(tls_context_test)

using weft::errc;
using weft::error;
using weft::tls_options;
using weft::tls_verification;
using weft::net_detail::root_places;
using weft::net_detail::session_ptr;
using weft::net_detail::tls_context;
using weft::net_detail::tls_session_cache;
using weft::net_detail::verify_errc;
namespace fs = std::filesystem;

/** A folder that goes with the test. */
class temporary_folder {
public:
    temporary_folder() : path_{fs::temp_directory_path() / ("weft_roots_" + std::to_string(::getpid()))}
    {
        fs::create_directories(path_);
    }
    ~temporary_folder() { fs::remove_all(path_); }
    std::string file(const std::string& name, const std::string& content) const
    {
        std::ofstream{path_ / name} << content;
        return (path_ / name).string();
    }
    std::string path() const { return path_.string(); }

private:
    fs::path path_;
};

/** An environment variable, set as long as the test runs. */
class environment_variable {
public:
    environment_variable(std::string name, const std::string& value) : name_{std::move(name)}
    {
        if (const char* before = std::getenv(name_.c_str())) before_ = before;
        ::setenv(name_.c_str(), value.c_str(), 1);
    }
    ~environment_variable()
    {
        if (before_)
            ::setenv(name_.c_str(), before_->c_str(), 1);
        else
            ::unsetenv(name_.c_str());
    }

private:
    std::string name_;
    std::optional<std::string> before_;
};

bool is_configuration(const error& e) { return e.code() == errc::invalid_configuration; }

std::size_t trusted_count(tls_context& context)
{
    X509_STORE* const store = SSL_CTX_get_cert_store(context.native().native_handle());
    return static_cast<std::size_t>(sk_X509_OBJECT_num(X509_STORE_get0_objects(store)));
}

using x509_ptr = std::unique_ptr<X509, decltype(&X509_free)>;

x509_ptr read_certificate(const std::string& pem)
{
    const std::unique_ptr<BIO, decltype(&BIO_free)> text{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                         &BIO_free};
    return {PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), &X509_free};
}

/** The name under which OpenSSL looks for a root in a directory. */
std::string hashed_name_of(const weft::testing::certificate_authority& authority)
{
    std::ostringstream name;
    name << std::hex << std::setw(8) << std::setfill('0')
         << X509_subject_name_hash(read_certificate(authority.certificate_pem()).get()) << ".0";
    return name.str();
}

bool trusts(tls_context& context, const weft::testing::certificate_authority& authority)
{
    const x509_ptr server = read_certificate(authority.issue().certificate_pem);
    const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check{X509_STORE_CTX_new(),
                                                                                &X509_STORE_CTX_free};
    X509_STORE* const store = SSL_CTX_get_cert_store(context.native().native_handle());
    return X509_STORE_CTX_init(check.get(), store, server.get(), nullptr) == 1 && X509_verify_cert(check.get()) == 1;
}

BOOST_AUTO_TEST_CASE(a_named_ca_is_trusted_and_nobody_else)
{
    const weft::testing::certificate_authority ca;
    const temporary_folder folder;
    tls_context from_text{tls_options{.ca_pem = ca.certificate_pem()}};
    BOOST_TEST(trusted_count(from_text) == 1u);
    tls_context from_file{tls_options{.ca_file = folder.file("ca.pem", ca.certificate_pem())}};
    BOOST_TEST(trusted_count(from_file) == 1u);
}

BOOST_AUTO_TEST_CASE(a_ca_that_cannot_be_read_is_refused)
{
    const temporary_folder folder;
    const std::string missing = folder.path() + "/missing.pem";
    BOOST_CHECK_EXCEPTION(tls_context{tls_options{.ca_file = missing}}, error, [](const error& e) {
        return is_configuration(e) && e.detail().find("missing.pem") != std::string::npos;
    });
    BOOST_CHECK_EXCEPTION(tls_context{tls_options{.ca_file = folder.file("x.pem", "no PEM")}}, error, is_configuration);
    BOOST_CHECK_EXCEPTION(tls_context{tls_options{.ca_pem = "no PEM"}}, error, is_configuration);
}

BOOST_AUTO_TEST_CASE(missing_system_roots_are_an_error_that_says_where_they_were_looked_for)
{
    const temporary_folder folder;
    const environment_variable file{"SSL_CERT_FILE", folder.path() + "/missing.pem"};
    const environment_variable directory{"SSL_CERT_DIR", folder.path()};
    BOOST_CHECK_EXCEPTION(tls_context{tls_options{}}, error, [&](const error& e) {
        return is_configuration(e) && e.detail().find("missing.pem") != std::string::npos &&
               e.detail().find(folder.path()) != std::string::npos &&
               e.detail().find("SSL_CERT_FILE") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(variables_that_are_empty_count_as_not_set)
{
    const environment_variable file{"SSL_CERT_FILE", ""};
    const environment_variable directory{"SSL_CERT_DIR", ""};
    try {
        const tls_context context{tls_options{}};
    } catch (const error& e) {  // a machine without roots
        BOOST_TEST(e.detail().find("SSL_CERT_FILE") == std::string::npos, e.detail());
    }
}

BOOST_AUTO_TEST_CASE(system_roots_are_taken_from_where_the_environment_says)
{
    const weft::testing::certificate_authority ca;
    const temporary_folder folder;
    const environment_variable file{"SSL_CERT_FILE", folder.file("bundle.pem", ca.certificate_pem())};
    const environment_variable directory{"SSL_CERT_DIR", folder.path()};  // has no hashed names: does not count
    tls_context context{tls_options{}};
    BOOST_TEST(trusted_count(context) == 1u);
}

BOOST_AUTO_TEST_CASE(a_directory_of_hashed_roots_is_enough)
{
    const temporary_folder folder;
    (void)folder.file("3513523f.0", weft::testing::certificate_authority{}.certificate_pem());
    const environment_variable directory{"SSL_CERT_DIR", folder.path()};
    BOOST_CHECK_NO_THROW(tls_context{tls_options{}});
}

BOOST_AUTO_TEST_CASE(a_directory_and_a_file_that_the_environment_names_count_both)
{
    const weft::testing::certificate_authority of_file{"of file"};
    const weft::testing::certificate_authority of_directory{"of directory"};
    const temporary_folder folder;
    const std::string hashed = folder.path() + "/hashed";
    fs::create_directories(hashed);
    (void)folder.file("hashed/" + hashed_name_of(of_directory), of_directory.certificate_pem());
    const environment_variable file{"SSL_CERT_FILE", folder.file("bundle.pem", of_file.certificate_pem())};
    const environment_variable directory{"SSL_CERT_DIR", folder.path() + "::" + hashed};  // a list, as in PATH
    tls_context context{tls_options{}};
    BOOST_TEST(trusts(context, of_file));
    BOOST_TEST(trusts(context, of_directory));
    BOOST_TEST(!trusts(context, weft::testing::certificate_authority{}));
}

BOOST_AUTO_TEST_CASE(verification_is_on_unless_it_was_switched_off_which_warns)
{
    const weft::testing::certificate_authority ca;
    std::ostringstream log;
    std::streambuf* const before = std::clog.rdbuf(log.rdbuf());
    tls_context verifying{tls_options{.ca_pem = ca.certificate_pem()}};
    BOOST_TEST(log.str() == "");
    tls_context believing{tls_options{.verification = tls_verification::none}};
    std::clog.rdbuf(before);
    BOOST_TEST(log.str().find("not verified") != std::string::npos);
    BOOST_TEST(SSL_CTX_get_verify_mode(verifying.native().native_handle()) == SSL_VERIFY_PEER);
    BOOST_TEST(SSL_CTX_get_verify_mode(believing.native().native_handle()) == SSL_VERIFY_NONE);
    BOOST_TEST(SSL_CTX_get_min_proto_version(verifying.native().native_handle()) == TLS1_2_VERSION);
}

BOOST_AUTO_TEST_CASE(verification_errors_are_told_apart)
{
    BOOST_TEST((verify_errc(X509_V_ERR_CERT_HAS_EXPIRED) == errc::tls_expired));
    BOOST_TEST((verify_errc(X509_V_ERR_CERT_NOT_YET_VALID) == errc::tls_expired));
    BOOST_TEST((verify_errc(X509_V_ERR_HOSTNAME_MISMATCH) == errc::tls_wrong_host));
    BOOST_TEST((verify_errc(X509_V_ERR_IP_ADDRESS_MISMATCH) == errc::tls_wrong_host));
    BOOST_TEST((verify_errc(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY) == errc::tls_untrusted));
    BOOST_TEST((verify_errc(X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT) == errc::tls_untrusted));
    BOOST_TEST((verify_errc(X509_V_ERR_CERT_REVOKED) == errc::tls_untrusted));
}

session_ptr resumable_session()
{
    session_ptr session{SSL_SESSION_new()};
    constexpr unsigned char id[] = "id";
    SSL_SESSION_set1_id(session.get(), id, 2);
    return session;
}

BOOST_AUTO_TEST_CASE(the_newest_session_of_an_origin_is_offered_and_shared)
{
    tls_session_cache cache;
    BOOST_TEST(!cache.find("a"));
    session_ptr first = resumable_session();
    session_ptr second = resumable_session();
    const SSL_SESSION* const newest = second.get();
    cache.store("a", std::move(first));
    cache.store("a", std::move(second));
    BOOST_TEST(cache.size() == 1u);
    const session_ptr once = cache.find("a");
    const session_ptr twice = cache.find("a");
    BOOST_TEST(once.get() == newest);
    BOOST_TEST(twice.get() == newest);
    cache.erase("a");
    BOOST_TEST(!cache.find("a"));
}

BOOST_AUTO_TEST_CASE(sessions_that_cannot_be_resumed_are_not_kept)
{
    tls_session_cache cache;
    cache.store("a", session_ptr{SSL_SESSION_new()});
    BOOST_TEST(cache.size() == 0u);
}

BOOST_AUTO_TEST_CASE(of_too_many_sessions_the_oldest_goes)
{
    tls_session_cache cache{2};
    cache.store("a", resumable_session());
    cache.store("b", resumable_session());
    cache.store("a", resumable_session());
    cache.store("c", resumable_session());
    BOOST_TEST(cache.size() == 2u);
    BOOST_TEST(!cache.find("b"));
    BOOST_TEST(cache.find("a"));
    BOOST_TEST(cache.find("c"));
}

BOOST_AUTO_TEST_SUITE_END()
