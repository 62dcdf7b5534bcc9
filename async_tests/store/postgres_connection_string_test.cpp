#ifdef WEFT_HAS_POSTGRES

#include "store/postgres/wire/connection_string.hpp"
#include "store/postgres/wire/schema.hpp"

#include <weft/base/error.hpp>

#include <boost/test/unit_test.hpp>

namespace postgres_connection_string_test {

using weft::postgres_detail::connection_string;
using weft::postgres_detail::is_schema_name;
using weft::postgres_detail::schema_step;
using weft::postgres_detail::schema_step_for;
using weft::postgres_detail::server_address;

std::string setting(const connection_string& from, const std::string& keyword, std::size_t server = 0)
{
    for (const auto& [key, value] : from.settings_for(from.servers().at(server), "192.0.2.1"))
        if (key == keyword) return value;
    return "";
}

BOOST_AUTO_TEST_SUITE(postgres_connection_string_test)

BOOST_AUTO_TEST_CASE(an_address_and_a_list_of_keywords_are_the_same)
{
    for (const char* text : {"postgresql://me:secret@db.example:6432/agents",
                             "host=db.example port=6432 user=me password=secret dbname=agents"}) {
        const connection_string parsed{text};
        BOOST_TEST(parsed.servers().size() == 1u);
        BOOST_TEST(parsed.servers()[0].host == "db.example");
        BOOST_TEST(parsed.servers()[0].port == "6432");
        BOOST_TEST(parsed.label() == "PostgreSQL agents@db.example:6432");
        BOOST_TEST(setting(parsed, "host") == "db.example");
        BOOST_TEST(setting(parsed, "hostaddr") == "192.0.2.1");
        BOOST_TEST(setting(parsed, "password") == "secret");
    }
}

BOOST_AUTO_TEST_CASE(several_servers_have_their_own_ports)
{
    const connection_string parsed{"postgresql://me@a:1,b:2/agents"};
    BOOST_TEST(parsed.servers().size() == 2u);
    BOOST_TEST(parsed.servers()[1].host == "b");
    BOOST_TEST(parsed.servers()[1].port == "2");
    BOOST_TEST(setting(parsed, "port", 1) == "2");
}

BOOST_AUTO_TEST_CASE(servers_elsewhere_must_prove_who_they_are)
{
    BOOST_TEST(setting(connection_string{"host=db.example"}, "sslmode") == "verify-full");
    BOOST_TEST(setting(connection_string{"host=10.0.0.7"}, "sslmode") == "verify-full");
    BOOST_TEST(setting(connection_string{"host=db.example sslmode=require"}, "sslmode") == "require");
    for (const char* local : {"host=localhost", "host=127.0.0.1", "host=::1", "host=/run/postgresql"})
        BOOST_TEST(setting(connection_string{local}, "sslmode") == "");
}

BOOST_AUTO_TEST_CASE(a_name_has_to_be_looked_up_and_an_address_has_not)
{
    BOOST_TEST(!connection_string{"host=db.example"}.servers()[0].is_resolved());
    BOOST_TEST(connection_string{"host=db.example hostaddr=10.0.0.7"}.servers()[0].is_resolved());
    BOOST_TEST(connection_string{"host=10.0.0.7"}.servers()[0].is_resolved());
    BOOST_TEST(connection_string{"host=/run/postgresql"}.servers()[0].is_resolved());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_refused_without_repeating_it)
{
    for (const char* text : {"postgresql://me:hidden@[", "passwort=hidden", "host=a,b port=1,2,3", "service=x"})
        BOOST_CHECK_EXCEPTION(connection_string{text}, weft::error, [](const weft::error& e) {
            return e.code() == weft::errc::invalid_configuration &&
                   std::string{e.what()}.find("hidden") == std::string::npos;
        });
}

BOOST_AUTO_TEST_CASE(the_password_is_never_shown)
{
    const connection_string parsed{"host=db.example user=me password=hunter2 dbname=agents"};
    BOOST_TEST(parsed.label().find("hunter2") == std::string::npos);
    BOOST_TEST(parsed.scrub("auth of me with hunter2, hunter2!\n") == "auth of me with ***, ***!");
}

BOOST_AUTO_TEST_CASE(names_of_schemas_need_no_quotes)
{
    for (const char* name : {"weft", "_a", "a1", "abcdefghijklmnopqrstuvwxyzabcdefghijklmno"})
        BOOST_TEST(is_schema_name(name));
    for (const char* name : {"", "1a", "Weft", "a-b", "a\"b", "a b", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"})
        BOOST_TEST(!is_schema_name(name));
}

BOOST_AUTO_TEST_CASE(a_program_uses_migrates_or_refuses_a_schema)
{
    BOOST_TEST((schema_step_for(std::nullopt, 0, 3, true) == schema_step::migrate));
    BOOST_TEST((schema_step_for(std::nullopt, 0, 3, false) == schema_step::refuse_missing));
    BOOST_TEST((schema_step_for(2, 1, 3, true) == schema_step::migrate));
    BOOST_TEST((schema_step_for(2, 1, 3, false) == schema_step::refuse_missing));
    BOOST_TEST((schema_step_for(3, 1, 3, false) == schema_step::use));
    BOOST_TEST((schema_step_for(5, 3, 3, true) == schema_step::use));
    BOOST_TEST((schema_step_for(5, 4, 3, true) == schema_step::refuse_newer));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_connection_string_test

#endif
