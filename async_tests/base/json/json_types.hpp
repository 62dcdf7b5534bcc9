#pragma once

#include <weft/base/json.hpp>
#include <weft/base/list.hpp>
#include <weft/base/system/ids.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

/** Types that the tests of JSON reading and writing share. */
namespace json_types {

enum class colour { red, green };
BOOST_DESCRIBE_ENUM(colour, red, green)

enum class undescribed { a };

struct point {
    int x = 0;
    std::optional<std::string> label;

    friend bool operator==(const point&, const point&) = default;
};
BOOST_DESCRIBE_STRUCT(point, (), (x, label))

struct base_part {
    bool is_on = false;

    friend bool operator==(const base_part&, const base_part&) = default;
};
BOOST_DESCRIBE_STRUCT(base_part, (), (is_on))

struct drawing : base_part {
    std::vector<point> points;
    std::map<std::string, colour> colours;
    weft::list<std::string> notes;
    double scale = 1.0;

    friend bool operator==(const drawing&, const drawing&) = default;
};
BOOST_DESCRIBE_STRUCT(drawing, (base_part), (points, colours, notes, scale))

struct tree {
    std::string name;
    std::vector<tree> children;

    friend bool operator==(const tree&, const tree&) = default;
};
BOOST_DESCRIBE_STRUCT(tree, (), (name, children))

/** With its own conversion, which knows only "hot" and "cold". */
struct temperature {
    int degrees = 0;

    friend bool operator==(const temperature&, const temperature&) = default;

    friend temperature tag_invoke(boost::json::value_to_tag<temperature>,
                                  const boost::json::value& from)
    {
        if (from.as_string() == "hot") return {30};
        if (from.as_string() == "cold") return {0};
        throw std::runtime_error{"neither hot nor cold"};
    }
    friend void tag_invoke(boost::json::value_from_tag, boost::json::value& to,
                           const temperature& from)
    {
        if (from.degrees == 15) throw std::runtime_error{"neither hot nor cold"};
        to = from.degrees > 15 ? "hot" : "cold";
    }
};

/** With its own conversion, which itself reads with paths. */
struct wrapped {
    point inner;

    friend wrapped tag_invoke(boost::json::value_to_tag<wrapped>, const boost::json::value& from)
    {
        return {weft::from_json<point>(from)};
    }
    friend void tag_invoke(boost::json::value_from_tag, boost::json::value& to, const wrapped& from)
    {
        to = weft::to_json(from.inner);
    }
};

struct undescribed_struct {
    int x = 0;
};

struct has_undescribed {
    undescribed_struct part;
};
BOOST_DESCRIBE_STRUCT(has_undescribed, (), (part))

class has_hidden {
    int hidden_ = 0;
    BOOST_DESCRIBE_CLASS(has_hidden, (), (), (), (hidden_))
};

static_assert(weft::json_convertible<bool>);
static_assert(weft::json_convertible<std::uint8_t>);
static_assert(weft::json_convertible<boost::json::object>);
static_assert(weft::json_convertible<std::optional<std::vector<std::map<std::string, point>>>>);
static_assert(weft::json_convertible<std::vector<bool>>);
static_assert(weft::json_convertible<std::set<std::string>>);
static_assert(weft::json_convertible<std::array<int, 3>>);
static_assert(weft::json_convertible<std::tuple<int, std::vector<point>>>);
static_assert(weft::json_convertible<drawing>);
static_assert(weft::json_convertible<tree>);
static_assert(weft::json_convertible<temperature>);
static_assert(weft::json_convertible<weft::tokens>);
static_assert(weft::json_convertible<weft::run_id>);
static_assert(!weft::json_convertible<char>);
static_assert(!weft::json_convertible<const char*>);
static_assert(!weft::json_convertible<std::string_view>);
static_assert(!weft::json_convertible<undescribed>);
static_assert(!weft::json_convertible<undescribed_struct>);
static_assert(!weft::json_convertible<has_undescribed>);
static_assert(!weft::json_convertible<std::vector<undescribed_struct>>);
static_assert(!weft::json_convertible<std::map<std::string, undescribed>>);
static_assert(!weft::json_convertible<std::map<int, int>>);
static_assert(!weft::json_convertible<std::pair<int, undescribed>>);
static_assert(!weft::json_convertible<has_hidden>);

}  // namespace json_types
