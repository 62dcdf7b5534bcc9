#include <boost/test/unit_test.hpp>

#include "net/server/accept_encoding.hpp"

#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(accept_encoding_test)

using weft::net_detail::content_coding;
using weft::net_detail::preferred_coding;

bool gets_gzip(std::string_view accepted)
{
    weft::http_headers request;
    request.add_unchecked("Accept-Encoding", accepted);
    return preferred_coding(request) == content_coding::gzip;
}

BOOST_AUTO_TEST_CASE(a_client_that_accepts_gzip_gets_it)
{
    for (const char* const accepted :
         {"gzip", "GZip", "x-gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*", "*;q=0.1",
          "gzip;q=0.001", "gzip;q=1.000", "gzip;Q=1", "gzip ; q=0.5", "gzip;\tq=1.", "  ,, gzip ,",
          "identity;q=0.5, gzip", "identity;q=0, *", "identity, gzip", "gzip;q=0.5, identity;q=0",
          "gzip;q=0.5, identity;q=0.5", "gzip, *;q=0", "deflate;q=wrong, gzip"})
        BOOST_TEST(gets_gzip(accepted), accepted);
}

BOOST_AUTO_TEST_CASE(others_get_the_answer_as_it_is)
{
    for (const char* const accepted :
         {"", " ", ",", "identity", "br", "deflate", "gzip;q=0", "gzip;q=0.", "gzip;q=0.000", "gzip;q=0, *", "*;q=0",
          "identity;q=0", "identity;q=0, *;q=0", "identity, gzip;q=0.5", "identity, *;q=0.9", "gzip, gzip;q=0",
          "gzip;q=0, x-gzip", "gzip2", "gzi", "\"gzip\"", "q=1", ";q=1", "*gzip"})
        BOOST_TEST(!gets_gzip(accepted), accepted);
    BOOST_TEST((preferred_coding(weft::http_headers{}) == content_coding::identity));
}

BOOST_AUTO_TEST_CASE(a_weight_that_is_none_takes_its_coding_out)
{
    for (const char* const accepted :
         {"gzip;q=", "gzip;q", "gzip;q=2", "gzip;q=1.001", "gzip;q=-1", "gzip;q=0.1234", "gzip;q=.5", "gzip;q=0,5",
          "gzip;q=0.5;q=1", "gzip;level=9", "gzip;q= =1", "gzip;q=1e0", "gzip;q=01"})
        BOOST_TEST(!gets_gzip(accepted), accepted);
}

BOOST_AUTO_TEST_CASE(fields_of_one_name_are_one_list)
{
    weft::http_headers request;
    request.add("accept-encoding", "br");
    request.add("Accept", "gzip;q=0");
    request.add("ACCEPT-ENCODING", "gzip");
    BOOST_TEST((preferred_coding(request) == content_coding::gzip));
    request.add("accept-encoding", "gzip;q=0");
    BOOST_TEST((preferred_coding(request) == content_coding::identity));
}

BOOST_AUTO_TEST_CASE(a_list_without_end_is_not_read)
{
    std::string accepted = "gzip";
    for (int i = 1; i < 32; ++i) accepted += ",br";
    BOOST_TEST(gets_gzip(accepted));
    BOOST_TEST(!gets_gzip(accepted + ",br"));
}

BOOST_AUTO_TEST_SUITE_END()
