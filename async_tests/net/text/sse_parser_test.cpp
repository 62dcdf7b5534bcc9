#include <boost/test/unit_test.hpp>

#include "net/sse_vectors.hpp"

#include <weft/net/sse_parser.hpp>

#include <boost/test/data/test_case.hpp>

#include <algorithm>
#include <memory>
#include <random>

BOOST_AUTO_TEST_SUITE(sse_parser_test)

using weft::sse_dialect;
using weft::sse_event;
using weft::sse_options;
using weft::sse_parser;

using pieces = std::vector<std::string>;

pieces byte_by_byte(const std::string& text)
{
    pieces result;
    for (const char c : text) result.emplace_back(1, c);
    return result;
}

pieces split_at_random(const std::string& text, unsigned seed)
{
    std::mt19937 random{seed};
    pieces result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t size = random() % 7;  // empty pieces too
        result.push_back(text.substr(at, size));
        at += size;
    }
    return result;
}

struct outcome {
    std::vector<sse_vectors::event> events;
    std::vector<std::string> errors;
    std::optional<sse_vectors::event> pending;
    std::optional<int> retry;
    std::string raw_json;
    std::string last_id;
    bool has_failed = false;
    friend bool operator==(const outcome&, const outcome&) = default;
};

/** Feeds each piece from memory of its own that is gone as soon as its events were taken. */
outcome parse(const pieces& input, sse_options options = {})
{
    sse_parser parser{options};
    outcome result;
    for (const std::string& piece : input) {
        auto bytes = std::make_unique<char[]>(piece.size());
        std::copy(piece.begin(), piece.end(), bytes.get());
        parser.feed({bytes.get(), piece.size()});
        while (const sse_event* e = parser.next()) {
            result.events.push_back({std::string{e->type}, std::string{e->data}, std::string{e->id}});
            if (!e->error.empty()) result.errors.emplace_back(e->error);
        }
    }
    if (const sse_event* e = parser.finish())
        result.pending = {std::string{e->type}, std::string{e->data}, std::string{e->id}};
    if (parser.retry()) result.retry = static_cast<int>(parser.retry()->count());
    result.raw_json = parser.raw_json();
    result.last_id = parser.last_event_id();
    result.has_failed = parser.has_failed();
    return result;
}

void check_vector(const sse_vectors::vector& v, const pieces& input)
{
    const outcome result = parse(input);
    BOOST_TEST((result.events == v.events));
    BOOST_TEST(result.pending.has_value() == v.is_pending_at_end);
    BOOST_TEST((result.retry == v.retry));
    BOOST_TEST(!result.has_failed);
}

BOOST_DATA_TEST_CASE(a_stream_gives_its_events_in_the_reads_of_the_vector,
                     boost::unit_test::data::make(sse_vectors::all))
{
    check_vector(sample, sample.reads);
}

BOOST_DATA_TEST_CASE(a_stream_gives_its_events_in_one_piece, boost::unit_test::data::make(sse_vectors::all))
{
    check_vector(sample, {sample.whole()});
}

BOOST_DATA_TEST_CASE(a_stream_gives_its_events_byte_by_byte, boost::unit_test::data::make(sse_vectors::all))
{
    check_vector(sample, byte_by_byte(sample.whole()));
}

BOOST_DATA_TEST_CASE(a_stream_gives_its_events_however_it_is_cut, boost::unit_test::data::make(sse_vectors::all))
{
    for (unsigned seed = 0; seed < 50; ++seed) check_vector(sample, split_at_random(sample.whole(), seed));
}

BOOST_AUTO_TEST_CASE(random_streams_give_the_same_events_however_they_are_cut)
{
    const pieces words = {"data: ", "data:", "data",  "event: x", "id: 1", "id", "retry: 5", "error: {}", "{\"a\":1}",
                          "\n",     "\n\n",  "\r\n",  "\r",       "\n\n",  ":c", " ",        "\xff",      "\xf0\x9f",
                          "a",      "\n",    "[DONE]"};
    std::mt19937 random{42};
    for (unsigned round = 0; round < 300; ++round) {
        std::string text;
        for (int i = 0; i < 40; ++i) text += words[random() % words.size()];
        const sse_options options{.dialect = sse_dialect::llm, .line_bytes_max = 24, .event_bytes_max = 30};
        const outcome whole = parse({text}, options);
        BOOST_TEST((parse(byte_by_byte(text), options) == whole));
        BOOST_TEST((parse(split_at_random(text, round), options) == whole));
    }
}

BOOST_AUTO_TEST_CASE(an_event_in_one_piece_is_not_copied)
{
    const std::string text = "event: delta\ndata: {\"x\":1}\n\n";
    sse_parser parser;
    parser.feed(text);
    const sse_event* e = parser.next();
    BOOST_REQUIRE(e);
    BOOST_TEST(static_cast<const void*>(e->data.data()) == text.data() + text.find('{'));
    BOOST_TEST(static_cast<const void*>(e->type.data()) == text.data() + text.find("delta"));
    BOOST_TEST(!parser.next());
}

BOOST_AUTO_TEST_CASE(a_pending_event_is_handed_out_at_the_end_with_its_last_line_completed)
{
    BOOST_TEST(parse({"data: [DONE]"}).pending->data == "[DONE]");
    BOOST_TEST(parse({"data: [DONE]\n"}).pending->data == "[DONE]");
    BOOST_TEST(parse({"event: x\r", "data: {\"a\"", ":1}"}).pending->data == "{\"a\":1}");
    BOOST_TEST(parse({"event: x\r", "data: {\"a\"", ":1}"}).pending->type == "x");
    BOOST_TEST(!parse({"data: a\n\n"}).pending.has_value());
    BOOST_TEST(!parse({"event: x\nid: 4\nda"}).pending.has_value());
    BOOST_TEST(!parse({""}).pending.has_value());
}

BOOST_AUTO_TEST_CASE(the_id_of_an_unfinished_event_does_not_count)
{
    BOOST_TEST(parse({"id: 1\n\nid: 2\ndata: x\n"}).last_id == "1");
}

BOOST_AUTO_TEST_CASE(an_error_field_is_an_event_for_llm_clients_only)
{
    const pieces input = {"data: a\n\nerror: {\"code\":500}\n\ndata: b\n\n"};
    const outcome llm = parse(input, {.dialect = sse_dialect::llm});
    BOOST_REQUIRE(llm.events.size() == 3u);
    BOOST_REQUIRE(llm.errors.size() == 1u);
    BOOST_TEST(llm.errors[0] == "{\"code\":500}");
    BOOST_TEST(llm.events[1].data == "");
    const outcome standard = parse(input);
    BOOST_TEST(standard.events.size() == 2u);
    BOOST_TEST(standard.errors.empty());
}

BOOST_AUTO_TEST_CASE(an_error_field_before_the_end_of_the_stream_is_pending)
{
    sse_parser parser{{.dialect = sse_dialect::llm}};
    parser.feed("error: {\"code\":503}");
    BOOST_TEST(!parser.next());
    const sse_event* e = parser.finish();
    BOOST_REQUIRE(e);
    BOOST_TEST(e->error == "{\"code\":503}");
}

BOOST_AUTO_TEST_CASE(bare_json_lines_are_collected_for_llm_clients_only)
{
    const pieces input = {"data: a\n\n{\n  \"error\": {\n", "    \"code\": 429\n  }\n}\n"};
    BOOST_TEST(parse(input, {.dialect = sse_dialect::llm}).raw_json ==
               "{\n  \"error\": {\n    \"code\": 429\n  }\n}\n");
    BOOST_TEST(parse(input).raw_json == "");
    const sse_options llm{.dialect = sse_dialect::llm};
    BOOST_TEST(parse({"foo: x\n\n[{\"error\":{}}]"}, llm).raw_json == "[{\"error\":{}}]\n");
    BOOST_TEST(parse({"{\"error\":{}}\n\ndata: x\n\n"}, llm).events.size() == 1u);
}

BOOST_AUTO_TEST_CASE(wrong_utf_8_is_found_at_every_place_of_a_line)
{
    for (std::size_t size = 1; size < 80; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            std::string data(size, 'x');
            data[at] = '\xff';
            const outcome result = parse({"data:" + data + "\n\n"});
            BOOST_REQUIRE(result.events.size() == 1u);
            BOOST_TEST((result.events[0].data == data.replace(at, 1, "\xef\xbf\xbd")));
        }
    }
}

BOOST_AUTO_TEST_CASE(no_more_than_64_kib_of_bare_json_are_kept)
{
    std::string text;
    for (int i = 0; i < 100; ++i) text += '{' + std::string(1023, 'x') + '\n';
    const std::string kept = parse({text}, {.dialect = sse_dialect::llm}).raw_json;
    BOOST_TEST(kept.size() <= 64u * 1024);
    BOOST_TEST(kept.size() > 62u * 1024);
}

BOOST_AUTO_TEST_CASE(a_stream_without_line_ends_fails_with_bounded_memory)
{
    sse_parser parser;
    const std::string piece(16 * 1024, 'x');
    std::size_t fed = 0;
    while (fed < 10u * 1024 * 1024 && !parser.has_failed()) {
        parser.feed(piece);
        BOOST_TEST(!parser.next());
        fed += piece.size();
    }
    BOOST_TEST(parser.has_failed());
    BOOST_TEST(fed <= 1024u * 1024 + piece.size());
    const weft::error failure = parser.failure("api.example.com:443");
    BOOST_TEST((failure.code() == weft::errc::response_too_large));
    BOOST_TEST(failure.where() == "api.example.com:443");
    BOOST_TEST(failure.detail().find("line_bytes_max") != std::string::npos);
    parser.feed("data: a\n\n");
    BOOST_TEST(!parser.next());
    BOOST_TEST(!parser.finish());
}

BOOST_AUTO_TEST_CASE(a_line_of_exactly_the_limit_is_accepted)
{
    const sse_options options{.line_bytes_max = 10};
    for (const bool cut : {false, true}) {
        const auto feed = [&](const std::string& text) { return cut ? byte_by_byte(text) : pieces{text}; };
        BOOST_TEST(parse(feed("data: 1234\n\n"), options).events.size() == 1u);
        BOOST_TEST(!parse(feed("data: 1234\n\n"), options).has_failed);
        BOOST_TEST(parse(feed("data: 12345\n\n"), options).has_failed);
        BOOST_TEST(parse(feed("data: a\n\ndata: 12345\n\n"), options).events.size() == 1u);
    }
}

BOOST_AUTO_TEST_CASE(an_event_of_many_lines_fails_at_its_limit)
{
    const sse_options options{.event_bytes_max = 9};
    BOOST_TEST(parse({"data: 1234\ndata: 6789\n\n"}, options).events.size() == 1u);
    const outcome larger = parse({"data: 1234\ndata: 67890\n\n"}, options);
    BOOST_TEST(larger.events.empty());
    BOOST_TEST(larger.has_failed);
    BOOST_TEST(parse({"data: 1234567890\n\n"}, options).has_failed);

    sse_parser parser;
    const std::string line = "data: " + std::string(1000, 'x') + '\n';
    for (int i = 0; i < 5000 && !parser.has_failed(); ++i) {
        parser.feed(line);
        BOOST_TEST(!parser.next());
    }
    BOOST_REQUIRE(parser.has_failed());
    BOOST_TEST(parser.failure({}).detail().find("event_bytes_max") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
