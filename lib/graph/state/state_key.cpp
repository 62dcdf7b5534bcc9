#include <weft/graph/state_key.hpp>

namespace weft {

// Each source of a program that has such a key would compile its conversions to and from JSON otherwise.
template struct compiled_value<std::string>;
template struct compiled_value<std::vector<std::string>>;
template struct compiled_value<bool>;
template struct compiled_value<std::int64_t>;
template struct compiled_value<double>;
template struct compiled_value<boost::json::value>;
template struct compiled_value<boost::json::object>;
template struct compiled_value<boost::json::array>;

template struct compiled_key<std::string>;
template struct compiled_key<std::string, append>;
template struct compiled_key<std::vector<std::string>>;
template struct compiled_key<std::vector<std::string>, append>;
template struct compiled_key<bool>;
template struct compiled_key<std::int64_t>;
template struct compiled_key<std::int64_t, add>;
template struct compiled_key<double>;
template struct compiled_key<boost::json::value>;
template struct compiled_key<boost::json::object>;
template struct compiled_key<boost::json::object, merge>;

}  // namespace weft
