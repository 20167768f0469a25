/** What plugins need to be written against, under the name of the package that people install. */

