#include <weft/base/json/append_json_text.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

BOOST_AUTO_TEST_SUITE(append_json_text_test)

BOOST_AUTO_TEST_CASE(it_writes_what_boost_writes)
{
    std::string all;
    for (int c = 0; c < 128; ++c) all.push_back(static_cast<char>(c));
    for (const std::string& text : {std::string{}, std::string{"plain"}, std::string{"say \"yes\""}, all, all + all,
                                    std::string{"\u00e4\u4e2d\U0001f600"}}) {
        std::string written = "[";
        weft::append_json_text(written, text);
        BOOST_TEST(written == "[" + boost::json::serialize(boost::json::value(text)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
