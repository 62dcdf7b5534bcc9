#pragma once

#include <weft/graph/node_registry.hpp>

#include <boost/json/object.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace weft_cli {

/** Functions that a graph file names and that no C++ program is there for: by hand, what a node of each writes. */
class stubbed_functions {
public:
    /** @param args   `FUNCTION=JSON`, with an object of updates by key, as `values` of the kind `set` has them.
     *  @par Errors    `usage_error`: a word is none of that. */
    explicit stubbed_functions(const std::vector<std::string>& args);

    /** Lets a registry have the functions, and any other too; such a one only takes note that it is missing. */
    void add_to(weft::node_registry& registry) const;

    /** After a file was loaded.
     *  @par Errors    `usage_error` lists all functions that are missing, or the stubs that no node uses. */
    void check_names(const std::string& file) const;

private:
    struct names_asked {
        std::set<std::string> missing;
        std::set<std::string> used;
    };
    std::map<std::string, boost::json::object, std::less<>> values_;
    std::shared_ptr<names_asked> asked_ = std::make_shared<names_asked>();
};

}  // namespace weft_cli
