#include <weft/base/error.hpp>
#include <weft/store/sealed/sealing_keys.hpp>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <unistd.h>

BOOST_AUTO_TEST_SUITE(sealing_keys_test)

using weft::errc;
using weft::error;
using weft::sealing_keys;
using weft::secret_string;
namespace fs = std::filesystem;

namespace {

const std::string hex_a(64, 'a');
const std::string hex_b(64, 'B');

/** A file that is gone afterwards. */
class key_file {
public:
    explicit key_file(const std::string& text, fs::perms rights = fs::perms::owner_read | fs::perms::owner_write)
        : path_{fs::temp_directory_path() / ("weft-keys-" + std::to_string(::getpid()))}
    {
        std::ofstream{path_} << text;
        fs::permissions(path_, rights);
    }
    ~key_file() { fs::remove(path_); }
    key_file(const key_file&) = delete;
    key_file& operator=(const key_file&) = delete;
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    fs::path path_;
};

template <class Make>
std::string refusal_of(Make make)
{
    try {
        make();
    } catch (const error& e) {
        BOOST_TEST((e.code() == errc::invalid_configuration));
        return e.what();
    }
    return "";
}

std::string refusal_of_file(const std::string& text, fs::perms rights = fs::perms::owner_read)
{
    const key_file file{text, rights};
    return refusal_of([&] { (void)sealing_keys::from_file(file.path()); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_secret_has_32_bytes_or_64_digits)
{
    const sealing_keys bytes{secret_string{std::string(32, '\xaa')}};
    const sealing_keys digits{secret_string{hex_a}};
    BOOST_TEST((bytes.all()[0].secret.reveal() == digits.all()[0].secret.reveal()));
    BOOST_TEST(bytes.all()[0].id == "1");
    for (const std::string& wrong : {std::string{}, std::string(31, 'x'), std::string(33, 'x'), std::string(64, 'x'),
                                     hex_a + "a"}) {
        const std::string why = refusal_of([&] { (void)sealing_keys{secret_string{wrong}}; });
        BOOST_TEST(why.find("32 bytes") != std::string::npos);
        BOOST_TEST((wrong.empty() || why.find(wrong) == std::string::npos));
    }
}

BOOST_AUTO_TEST_CASE(names_of_keys_are_short_words_and_differ)
{
    sealing_keys keys{secret_string{hex_a}, "2026-11"};
    keys.rotate_to("2026-12", secret_string{hex_b});
    BOOST_REQUIRE(keys.all().size() == 2u);
    BOOST_TEST(keys.all()[1].id == "2026-12");
    for (const char* id : {"", "a b", "a/b", "ä", "123456789012345678901234567890123"})
        BOOST_TEST(refusal_of([&] { keys.rotate_to(id, secret_string{hex_b}); }) != "");
    BOOST_TEST(refusal_of([&] { keys.rotate_to("2026-11", secret_string{hex_b}); }).find("2026-11") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_has_a_key_on_each_line_the_oldest_first)
{
    const key_file file{"# keys of the store\n\n2026-11 " + hex_a + "\r\n  2026-12\t" + hex_b + "  "};
    const sealing_keys keys = sealing_keys::from_file(file.path());
    BOOST_REQUIRE(keys.all().size() == 2u);
    BOOST_TEST(keys.all()[0].id == "2026-11");
    BOOST_TEST(keys.all()[1].id == "2026-12");
    BOOST_TEST((keys.all()[1].secret.reveal() == std::string(32, '\xbb')));
}

BOOST_AUTO_TEST_CASE(a_file_that_says_something_else_is_refused_by_line_and_without_its_secrets)
{
    BOOST_TEST(refusal_of_file("1 " + hex_a + "\n2 " + hex_b + "b\n").find("line 2") != std::string::npos);
    BOOST_TEST(refusal_of_file("1 " + hex_a + "\n1 " + hex_b + "\n").find("line 2") != std::string::npos);
    BOOST_TEST(refusal_of_file(hex_a + "\n").find("line 1") != std::string::npos);
    BOOST_TEST(refusal_of_file("# nothing\n").find("no key") != std::string::npos);
    BOOST_TEST(refusal_of_file("").find("no key") != std::string::npos);
    BOOST_TEST(refusal_of_file(std::string(20'000, '#')).find("too long") != std::string::npos);
    for (const std::string& text : {"1 " + hex_a + "\n2 " + hex_b + "b\n", hex_a + "\n"}) {
        BOOST_TEST(refusal_of_file(text).find("aaaa") == std::string::npos);
        BOOST_TEST(refusal_of_file(text).find("BBBB") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_file_that_others_may_touch_is_refused)
{
    const std::string text = "1 " + hex_a + "\n";
    for (const fs::perms open : {fs::perms::group_read, fs::perms::others_read, fs::perms::group_write})
        BOOST_TEST(refusal_of_file(text, fs::perms::owner_read | open).find("chmod 600") != std::string::npos);
    BOOST_TEST(refusal_of_file(text) == "");
    BOOST_TEST(refusal_of([] { (void)sealing_keys::from_file("/nowhere/keys"); }).find("/nowhere/keys") !=
               std::string::npos);
    BOOST_TEST(refusal_of([] { (void)sealing_keys::from_file("/"); }).find("no regular file") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
